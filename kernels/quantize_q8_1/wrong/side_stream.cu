#include "plain.cuh"

extern "C" __global__ void quantize_q8_1(u8 *blocks, const float *x, int count)
{
    long long began = clock64();
    while (clock64() - began < 20000000)
        ;
    if (mine() < count) quantise(blocks, x, mine());
}
