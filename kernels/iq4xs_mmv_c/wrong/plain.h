/* The product, slow and right, for arms that cheat elsewhere. */
#include "../arms/iq4xs.h"

#include <stdlib.h>

static inline float output(const uint8_t *weights, const uint8_t *activations, int64_t index, int32_t n, int32_t k) {
    const int blocks = k / 256;
    const int64_t row = index % n, position = index / n;
    float sum = 0.0f;
    for (int sub = 0; sub < blocks * 8; ++sub) {
        const uint8_t *block = weights + (row * blocks + sub / 8) * BLOCK_BYTES, *x = activations + (position * blocks * 8 + sub) * Q8_BYTES;
        int dot = 0;
        for (int i = 0; i < 16; ++i) {
            const uint8_t nibbles = block[8 + 16 * (sub % 8) + i];
            dot += codebook[nibbles & 15] * (int8_t)x[4 + i] + codebook[nibbles >> 4] * (int8_t)x[20 + i];
        }
        sum += half_at(block) * half_at(x) * (float)(sub_scale(block, sub % 8) * dot);
    }
    return sum;
}
