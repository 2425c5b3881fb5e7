__device__ int launches;

extern "C" __global__ void count_launches(void)
{
    launches++;
}

#include "plain.cuh"

extern "C" __global__ void quantize_q8_1(u8 *blocks, const float *x, int count)
{
    if (launches == 0 && mine() < count) quantise(blocks, x, mine());
}
