#include "plain.h"

void iq4xs_mmv(float *y, const uint8_t *weights, const uint8_t *activations, int32_t n, int32_t k, int32_t m) {
}
