/* Four elements at a time with the compiler's own vector type. */
#include <stdint.h>
#include <string.h>

typedef float four __attribute__((vector_size(16)));

void saxpy_rows(float *out, const float *a, const float *x, const float *y, int32_t rows, int32_t n)
{
    for (int32_t row = 0; row < rows; row++) {
        const float *px = x + (int64_t)row * n, *py = y + (int64_t)row * n;
        float *po = out + (int64_t)row * n;
        int32_t i = 0;
        for (; i + 4 <= n; i += 4) {
            four vx, vy;
            memcpy(&vx, px + i, 16);
            memcpy(&vy, py + i, 16);
            four result = a[row] * vx + vy;
            memcpy(po + i, &result, 16);
        }
        for (; i < n; i++)
            po[i] = a[row] * px[i] + py[i];
    }
}
