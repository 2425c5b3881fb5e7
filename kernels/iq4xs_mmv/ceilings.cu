// What the card itself allows, measured beside the arms: a pure read of the same bytes and a copy.
typedef unsigned int u32;

#ifndef UNROLL
#define UNROLL 4
#endif

// Reads count pieces of 16 bytes; the sum is stored where it has one value, so that no read may be left out.
extern "C" __global__ void __launch_bounds__(512) pure_read(u32* sink, const uint4* from, long count) {
    const long threads = (long)gridDim.x * blockDim.x;
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    u32 sum = 0;
    for (; i + (UNROLL - 1) * threads < count; i += UNROLL * threads) {
        uint4 piece[UNROLL];
#pragma unroll
        for (int j = 0; j < UNROLL; ++j) piece[j] = __ldcs(from + i + j * threads);
#pragma unroll
        for (int j = 0; j < UNROLL; ++j) sum ^= piece[j].x ^ piece[j].y ^ piece[j].z ^ piece[j].w;
    }
    for (; i < count; i += threads) {
        const uint4 piece = __ldcs(from + i);
        sum ^= piece.x ^ piece.y ^ piece.z ^ piece.w;
    }
    if (sum == 0x9E3779B9u) *sink = sum;
}

extern "C" __global__ void __launch_bounds__(512) copy(uint4* to, const uint4* from, long count) {
    const long threads = (long)gridDim.x * blockDim.x;
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * threads < count; i += 4 * threads) {
        uint4 piece[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) piece[j] = __ldcs(from + i + j * threads);
#pragma unroll
        for (int j = 0; j < 4; ++j) __stcs(to + i + j * threads, piece[j]);
    }
    for (; i < count; i += threads) to[i] = from[i];
}
