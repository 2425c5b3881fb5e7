#include <stdint.h>
#include <immintrin.h>

void saxpy_rows(float *out, const float *a, const float *x, const float *y, int32_t rows, int32_t n)
{
    __m128 zero = _mm_setzero_p32();
    _mm_storeu_ps(out, zero);
}
