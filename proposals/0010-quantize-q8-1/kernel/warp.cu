// A warp a block of 32 values: a lane a value, the largest and the sum by exchanges, bytes stored one by one.
#include "q8_1.cuh"

extern "C" __global__ void __launch_bounds__(256) quantize_q8_1(u8* blocks, const float* x, int count) {
    const int block = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (block >= count) return;
    const float value = x[(long)block * 32 + lane];
    float most = fabsf(value);
    for (int hop = 16; hop > 0; hop /= 2) most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, hop));
    const float d = most / 127.0f, inverse = d > 0.0f ? 1.0f / d : 0.0f;
    const int q = (int)roundf(value * inverse);
    int sum = q;
    for (int hop = 16; hop > 0; hop /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, hop);
    u8* to = blocks + (long)block * Q8_BYTES;
    to[4 + lane] = (u8)q;
    if (lane == 0) *(u32*)to = scales(d, sum);
}
