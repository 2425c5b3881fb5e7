// A thread a block of 32 values: slow and right, for arms that cheat elsewhere.
#pragma once
#include "../arms/q8_1.cuh"

__device__ __forceinline__ void quantise(u8 *blocks, const float *x, int block)
{
    float most = 0;
    for (int i = 0; i < 32; i++)
        most = fmaxf(most, fabsf(x[(long)block * 32 + i]));
    const float d = most / 127.0f, inverse = d > 0 ? 1.0f / d : 0.0f;
    u8 *to = blocks + (long)block * Q8_BYTES;
    int sum = 0;
    for (int i = 0; i < 32; i++) {
        const int q = (int)roundf(x[(long)block * 32 + i] * inverse);
        to[4 + i] = (u8)q;
        sum += q;
    }
    *(u32 *)to = scales(d, sum);
}

__device__ __forceinline__ int mine()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}
