// Eight lanes a block of 32 values: four values a lane in one load, one word of four bytes a store.
#include "q8_1.cuh"

extern "C" __global__ void __launch_bounds__(128) quantize_q8_1(u8* blocks, const float* x, int count) {
    const int item = blockIdx.x * blockDim.x + threadIdx.x, block = item / 8, part = item & 7;
    const bool inside = block < count;  // lanes outside stay, since the exchange needs the whole warp
    const float4 v = inside ? ((const float4*)x)[item] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float most = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
#pragma unroll
    for (int hop = 4; hop > 0; hop /= 2) most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, hop));
    const float d = most / 127.0f, inverse = d > 0.0f ? 1.0f / d : 0.0f;
    const int a = (int)roundf(v.x * inverse), b = (int)roundf(v.y * inverse), c = (int)roundf(v.z * inverse),
              e = (int)roundf(v.w * inverse);
    int sum = a + b + c + e;
#pragma unroll
    for (int hop = 4; hop > 0; hop /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, hop);
    if (!inside) return;
    u32* to = (u32*)(blocks + (long)block * Q8_BYTES);
    to[1 + part] = (a & 255) | (b & 255) << 8 | (c & 255) << 16 | (u32)e << 24;
    if (part == 0) to[0] = scales(d, sum);
}
