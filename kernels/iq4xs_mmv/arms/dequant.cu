// Dequantises IQ4_XS weights to fp16 (and Q8_1 activations too) for a library's fp16 GEMM: what a dispatcher falls back to.
#include "iq4xs.cuh"

__device__ __forceinline__ u32 half_pair(float low, float high) {
    u32 pair;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(*(u16*)&pair) : "f"(low));
    u16 upper;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(upper) : "f"(high));
    return (pair & 0xFFFFu) | (u32)upper << 16;
}

// Byte i of word as float times scale.
__device__ __forceinline__ float value(u32 word, int i, float scale) {
    return (float)(signed char)(word >> (8 * i)) * scale;
}

// Sixteen weights a thread: eight bytes of qs are eight weights of the lower and eight of the upper half of a sub-block.
extern "C" __global__ void __launch_bounds__(256)
iq4xs_to_f16(uint4* __restrict__ half_weights, const u8* __restrict__ weights, int rows, int k) {
    const long threads = (long)gridDim.x * blockDim.x, items = (long)rows * (k / 16);
    for (long item = (long)blockIdx.x * blockDim.x + threadIdx.x; item < items; item += threads) {
        const long block = item >> 4;
        const int part = (int)item & 15;
        const u8* from = weights + block * BLOCK_BYTES;
        const u64 header = *(const u64*)from, q = *(const u64*)(from + 8 + 8 * part);
        const float scale = half_to_float((u32)header & 0xFFFFu) * (float)sub_scale(header, part >> 1);
        u32 first, second, third, fourth;
        lookup((u32)q, first, second);
        lookup((u32)(q >> 32), third, fourth);
        uint4 low, high;
        low.x = half_pair(value(first, 0, scale), value(first, 2, scale));
        high.x = half_pair(value(first, 1, scale), value(first, 3, scale));
        low.y = half_pair(value(second, 0, scale), value(second, 2, scale));
        high.y = half_pair(value(second, 1, scale), value(second, 3, scale));
        low.z = half_pair(value(third, 0, scale), value(third, 2, scale));
        high.z = half_pair(value(third, 1, scale), value(third, 3, scale));
        low.w = half_pair(value(fourth, 0, scale), value(fourth, 2, scale));
        high.w = half_pair(value(fourth, 1, scale), value(fourth, 3, scale));
        uint4* to = half_weights + block * 32 + (part >> 1) * 4 + (part & 1);
        to[0] = low;
        to[2] = high;
    }
}

extern "C" __global__ void __launch_bounds__(256)
q8_1_to_f16(u16* __restrict__ half_activations, const u8* __restrict__ activations, int k, int count) {
    const long items = (long)count * k;
    for (long item = (long)blockIdx.x * blockDim.x + threadIdx.x; item < items; item += (long)gridDim.x * blockDim.x) {
        const u8* block = activations + item / 32 * Q8_BYTES;
        const float x = half_to_float(*(const u16*)block) * (float)(signed char)block[4 + item % 32];
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half_activations[item]) : "f"(x));
    }
}

extern "C" __global__ void __launch_bounds__(256)
f16_to_f32(float* __restrict__ y, const u16* __restrict__ half_y, int rows, int count) {
    const long items = (long)count * rows;
    for (long item = (long)blockIdx.x * blockDim.x + threadIdx.x; item < items; item += (long)gridDim.x * blockDim.x)
        y[item] = half_to_float(half_y[item]);
}
