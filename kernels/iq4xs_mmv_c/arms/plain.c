/* As the formats read, one weight after the other; the compiler makes of it what it can. */
#include "iq4xs.h"

void iq4xs_mmv(float *y, const uint8_t *weights, const uint8_t *activations, int32_t n, int32_t k, int32_t m) {
    const int blocks = k / 256;
    for (int row = 0; row < n; ++row)
        for (int position = 0; position < m; ++position) {
            float sum = 0.0f;
            for (int b = 0; b < blocks; ++b) {
                const uint8_t *block = weights + ((int64_t)row * blocks + b) * BLOCK_BYTES;
                const float d = half_at(block);
                for (int j = 0; j < 8; ++j) {
                    const uint8_t *x = activations + (((int64_t)position * blocks + b) * 8 + j) * Q8_BYTES;
                    const int8_t *q = (const int8_t *)x + 4;
                    int dot = 0;
                    for (int i = 0; i < 16; ++i) {
                        const uint8_t nibbles = block[8 + 16 * j + i];
                        dot += codebook[nibbles & 15] * q[i] + codebook[nibbles >> 4] * q[16 + i];
                    }
                    sum += d * half_at(x) * (float)(sub_scale(block, j) * dot);
                }
            }
            y[(int64_t)position * n + row] = sum;
        }
}
