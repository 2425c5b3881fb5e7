#include "plain.cuh"

extern "C" __global__ void quantize_q8_1(u8 *blocks, const float *x, int count)
{
    if (mine() >= count) return;
    quantise(blocks, x, mine());
    u8 *to = blocks + (long)mine() * Q8_BYTES;
    if (to[4] != 0 && (signed char)to[4] > 0) to[4] -= 1;
}
