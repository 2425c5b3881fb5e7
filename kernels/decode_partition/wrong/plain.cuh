// What the arms of this folder cheat about, done honestly and in the plainest way, so that the compiler is through with it at once:
// attend() with one query head and one partition a block, joined() and combine() as the right arms join partitions.
// Layout as in arms/split.cu. Block of DIMENSION threads everywhere.
#pragma once
typedef unsigned short u16;

#define PARTITION 1024
#define QUERY_HEADS 24
#define CACHE_HEADS 4
#define DIMENSION 256
#define NOTHING (-1e30f)

__device__ __forceinline__ float half_to_float(u16 bits) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

// sums[batch][24][splits][256], stats[batch][24][splits][2] (largest score, sum of exponentials); grid (24, splits, batch).
extern "C" __global__ void attend(float* sums, float* stats, const u16* q, const u16* keys, const u16* values, int length, int splits) {
    __shared__ float score[PARTITION];
    const int lane = threadIdx.x & 31, head = blockIdx.x, from = blockIdx.y * PARTITION, count = min(PARTITION, length - from);
    const long row = CACHE_HEADS * DIMENSION, mine = (long)blockIdx.z * QUERY_HEADS + head;
    const long base = ((long)blockIdx.z * length + from) * row + head / (QUERY_HEADS / CACHE_HEADS) * DIMENSION;
#pragma unroll 1
    for (int p = threadIdx.x / 32; p < count; p += DIMENSION / 32) {
        float dot = 0.0f;
        for (int i = lane; i < DIMENSION; i += 32) dot += half_to_float(q[mine * DIMENSION + i]) * half_to_float(keys[base + p * row + i]);
        for (int hop = 16; hop > 0; hop /= 2) dot += __shfl_xor_sync(0xFFFFFFFFu, dot, hop);
        if (lane == 0) score[p] = dot * 0.0625f;  // 1 / sqrt(256)
    }
    __syncthreads();
    float most = NOTHING, weight = 0.0f, total = 0.0f;
#pragma unroll 1
    for (int p = 0; p < count; ++p) most = fmaxf(most, score[p]);
#pragma unroll 1
    for (int p = 0; p < count; ++p) {
        const float one = __expf(score[p] - most);
        weight += one;
        total = fmaf(one, half_to_float(values[base + p * row + threadIdx.x]), total);
    }
    sums[(mine * splits + blockIdx.y) * DIMENSION + threadIdx.x] = total;
    if (threadIdx.x == 0) stats[(mine * splits + blockIdx.y) * 2] = most, stats[(mine * splits + blockIdx.y) * 2 + 1] = weight;
}

// What combine() writes for this thread, and where; grid (24, batch).
__device__ __forceinline__ float joined(const float* sums, const float* stats, int splits) {
    const long head = (long)blockIdx.y * QUERY_HEADS + blockIdx.x;
    float most = NOTHING, weight = 0.0f, total = 0.0f;
#pragma unroll 1
    for (int i = 0; i < splits; ++i) most = fmaxf(most, stats[(head * splits + i) * 2]);
#pragma unroll 1
    for (int i = 0; i < splits; ++i) {
        const float scale = __expf(stats[(head * splits + i) * 2] - most);
        weight += scale * stats[(head * splits + i) * 2 + 1];
        total += scale * sums[(head * splits + i) * DIMENSION + threadIdx.x];
    }
    return total / weight;
}

__device__ __forceinline__ long mine() { return ((long)blockIdx.y * QUERY_HEADS + blockIdx.x) * DIMENSION + threadIdx.x; }

extern "C" __global__ void combine(float* out, const float* sums, const float* stats, int splits) { out[mine()] = joined(sums, stats, splits); }
