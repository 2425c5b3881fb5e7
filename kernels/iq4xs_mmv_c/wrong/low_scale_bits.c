/* The two upper bits of each scale are forgotten: a layout read wrongly. */
#define sub_scale right_scale
#include "../arms/iq4xs.h"
#undef sub_scale

void iq4xs_mmv(float *y, const uint8_t *weights, const uint8_t *activations, int32_t n, int32_t k, int32_t m) {
    const int blocks = k / 256;
    for (int64_t index = 0; index < (int64_t)n * m; ++index) {
        float sum = 0.0f;
        for (int sub = 0; sub < blocks * 8; ++sub) {
            const uint8_t *block = weights + (index % n * blocks + sub / 8) * BLOCK_BYTES;
            const uint8_t *x = activations + (index / n * blocks * 8 + sub) * Q8_BYTES;
            int dot = 0;
            for (int i = 0; i < 16; ++i) {
                const uint8_t nibbles = block[8 + 16 * (sub % 8) + i];
                dot += codebook[nibbles & 15] * (int8_t)x[4 + i] + codebook[nibbles >> 4] * (int8_t)x[20 + i];
            }
            sum += half_at(block) * half_at(x) * (float)(((right_scale(block, sub % 8) + 32) & 15) * dot);
        }
        y[index] = sum;
    }
}
