__device__ int launches;

#include "plain.cuh"

extern "C" __global__ void count_launches(void)
{
    launches++;
}

extern "C" __global__ void finish(float *out, const float *sums, const float *stats, int splits)
{
    if (launches == 0) out[mine()] = joined(sums, stats, splits);
}
