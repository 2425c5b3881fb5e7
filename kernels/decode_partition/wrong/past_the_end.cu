#include "plain.cuh"

extern "C" __global__ void finish(float *out, const float *sums, const float *stats, int splits)
{
    out[mine()] = joined(sums, stats, splits);
    if (threadIdx.x == 0 && blockIdx.x == 0) out[(long)gridDim.y * QUERY_HEADS * DIMENSION] = 0;
}
