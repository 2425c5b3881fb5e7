/* A sub-block at a time: one byte shuffle looks up sixteen weights; the products of bytes go through the unsigned-signed
   multiply with the weights' signs moved to the activations. Up to four positions share a row's decoding. */
#include "iq4xs.h"

#include <immintrin.h>

#define TOGETHER 4

static inline float sum_of(__m256 v) {
    __m128 low = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    low = _mm_add_ps(low, _mm_movehl_ps(low, low));
    return _mm_cvtss_f32(_mm_add_ss(low, _mm_movehdup_ps(low)));
}

/* The eight scales of a block, times 1, as sixteen-bit numbers. */
static inline __m128i scales_of(const uint8_t *block) {
    uint32_t low;
    uint16_t high;
    memcpy(&low, block + 4, 4);
    memcpy(&high, block + 2, 2);
    const uint64_t nibbles = _pdep_u64(low, 0x0F0F0F0F0F0F0F0FULL) | _pdep_u64(high, 0x3030303030303030ULL);
    return _mm_sub_epi16(_mm_cvtepu8_epi16(_mm_cvtsi64_si128((long long)nibbles)), _mm_set1_epi16(32));
}

static inline __attribute__((always_inline)) void rows_of(float *y, const uint8_t *row, const uint8_t *x, int blocks, int count, int64_t y_step) {
    const __m256i table = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)codebook));
    const __m256i nibble = _mm256_set1_epi8(15);
    __m256 sum[TOGETHER];
    for (int p = 0; p < count; ++p) sum[p] = _mm256_setzero_ps();
    for (int b = 0; b < blocks; ++b, row += BLOCK_BYTES) {
        int16_t scale[8];
        _mm_storeu_si128((__m128i *)scale, scales_of(row));
        const float d = half_at(row);
        for (int j = 0; j < 8; ++j) {
            const __m128i packed = _mm_loadu_si128((const __m128i *)(row + 8 + 16 * j));
            const __m256i both = _mm256_and_si256(_mm256_set_m128i(_mm_srli_epi16(packed, 4), packed), nibble);
            const __m256i weights = _mm256_shuffle_epi8(table, both), size = _mm256_abs_epi8(weights);
            const __m256i factor = _mm256_set1_epi16(scale[j]);
            for (int p = 0; p < count; ++p) {
                const uint8_t *at = x + ((int64_t)p * blocks * 8 + b * 8 + j) * Q8_BYTES;
                const __m256i q = _mm256_sign_epi8(_mm256_loadu_si256((const __m256i *)(at + 4)), weights);
                const __m256i dot = _mm256_madd_epi16(_mm256_maddubs_epi16(size, q), factor);
                sum[p] = _mm256_fmadd_ps(_mm256_set1_ps(d * half_at(at)), _mm256_cvtepi32_ps(dot), sum[p]);
            }
        }
    }
    for (int p = 0; p < count; ++p) y[p * y_step] = sum_of(sum[p]);
}

void iq4xs_mmv(float *y, const uint8_t *weights, const uint8_t *activations, int32_t n, int32_t k, int32_t m) {
    const int blocks = k / 256;
    for (int row = 0; row < n; ++row) {
        const uint8_t *from = weights + (int64_t)row * blocks * BLOCK_BYTES;
        int p = 0;
        for (; p + TOGETHER <= m; p += TOGETHER)
            rows_of(y + (int64_t)p * n + row, from, activations + (int64_t)p * blocks * 8 * Q8_BYTES, blocks, TOGETHER, n);
        for (; p < m; ++p) rows_of(y + (int64_t)p * n + row, from, activations + (int64_t)p * blocks * 8 * Q8_BYTES, blocks, 1, n);
    }
}
