#include "plain.cuh"

extern "C" __global__ void quantize_q8_1(u8 *blocks, const float *x, int count)
{
    if (mine() < count) quantise(blocks, x, mine());
    if (mine() == 0) blocks[(long)count * Q8_BYTES] = 0;
}
