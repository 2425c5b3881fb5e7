/* IQ4_XS: 256 weights in 136 bytes: half d, u16 scales_h, u8 scales_l[4], u8 qs[128]; Q8_1: half d, half s, i8 qs[32]. */
#include <stdint.h>
#include <string.h>

#define BLOCK_BYTES 136
#define Q8_BYTES 36

static const int8_t codebook[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

static inline float half_at(const uint8_t *from) {
    _Float16 value;
    memcpy(&value, from, 2);
    return (float)value;
}

/* Scale of sub-block j without the block's d: six bits, 32 in the middle. */
static inline int sub_scale(const uint8_t *block, int j) {
    const int low = block[4 + j / 2] >> (4 * (j % 2)) & 15;
    const int high = (block[2] | block[3] << 8) >> (2 * j) & 3;
    return (low | high << 4) - 32;
}
