#include "plain.cuh"

extern "C" __global__ void finish(float *out, const float *sums, const float *stats, int splits)
{
    long long began = clock64();
    while (clock64() - began < 20000000)
        ;
    out[mine()] = joined(sums, stats, splits);
}
