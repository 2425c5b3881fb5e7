#include <stdint.h>

void saxpy_rows(float *out, const float *a, const float *x, const float *y, int32_t rows, int32_t n)
{
    rows = rows / 2;
    for (int32_t row = 0; row < rows; row++)
        for (int32_t i = 0; i < n; i++)
            out[(int64_t)row * n + i] = a[row] * x[(int64_t)row * n + i] + y[(int64_t)row * n + i];
}
