// The product, one output a thread: slow and right, for arms that cheat elsewhere.
#pragma once
#include "../arms/iq4xs.cuh"

#define ARGUMENTS const u8 *weights, const u8 *activations, float *y, int n, int k, int m

__device__ __forceinline__ float output(const u8 *weights, const u8 *activations, long index, int n, int k)
{
    const int row = index % n, position = index / n;
    float sum = 0;
    for (int sub = 0; sub < k / 32; sub++) {
        const u8 *block = weights + ((long)row * (k / 256) + sub / 8) * BLOCK_BYTES, *x = activations + ((long)position * (k / 32) + sub) * Q8_BYTES;
        int dot = 0;
        for (int t = 0; t < 4; t++) {
            u32 first, second, a, b;
            lookup(*(const u32 *)(block + 8 + 16 * (sub % 8) + 4 * t), first, second);
            interleave(*(const u32 *)(x + 4 + 4 * t), *(const u32 *)(x + 20 + 4 * t), a, b);
            dot = __dp4a((int)second, (int)b, __dp4a((int)first, (int)a, dot));
        }
        const float scale = half_to_float(*(const u16 *)block) * sub_scale(*(const u64 *)block, sub % 8);
        sum += scale * half_to_float(*(const u16 *)x) * dot;
    }
    return sum;
}

__device__ __forceinline__ long mine()
{
    return (long)blockIdx.x * blockDim.x + threadIdx.x;
}
