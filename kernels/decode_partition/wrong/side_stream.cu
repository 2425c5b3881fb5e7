#include "../arms/split.cu"

// What combine() writes for this thread.
__device__ float joined(const float *sums, const float *stats, int splits)
{
    const long head = (long)blockIdx.y * QUERY_HEADS + blockIdx.x;
    float most = NOTHING, weight = 0, total = 0;
    for (int i = 0; i < splits; i++)
        most = fmaxf(most, stats[(head * splits + i) * 2]);
    for (int i = 0; i < splits; i++) {
        const float scale = __expf(stats[(head * splits + i) * 2] - most);
        weight += scale * stats[(head * splits + i) * 2 + 1];
        total += scale * sums[(head * splits + i) * DIMENSION + threadIdx.x];
    }
    return total / weight;
}

__device__ long mine()
{
    return ((long)blockIdx.y * QUERY_HEADS + blockIdx.x) * DIMENSION + threadIdx.x;
}

extern "C" __global__ void finish(float *out, const float *sums, const float *stats, int splits)
{
    long long began = clock64();
    while (clock64() - began < 20000000)
        ;
    out[mine()] = joined(sums, stats, splits);
}
