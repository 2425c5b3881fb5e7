// y[m][row] = sum_k W[row][k] x[m][k] with dp4a, for sm_61 and later. A warp carries ROWS rows and POSITIONS positions: each
// lane owns whole sub-blocks of 32 weights, decodes them once and multiplies them with every position. Activations lie
// in shared memory, re-ordered as the lookup delivers weights. The next weights are loaded while the present are used.
// Positions beyond POSITIONS are further rows of the grid (y). POSITIONS = 1 is the seeds' shape: one set of blocks per position.
#include "iq4xs.cuh"

#ifndef POSITIONS
#define POSITIONS 1
#endif
#ifndef ROWS
#define ROWS 2
#endif
#ifndef WARPS
#define WARPS 8
#endif
#ifndef BLOCKS_PER_SM
#define BLOCKS_PER_SM 1
#endif
#ifndef AHEAD
#define AHEAD 1
#endif
#ifndef PREFETCH
#define PREFETCH 0  // 1: newer cards fetch 256 bytes into L2 for each piece that is asked for
#endif
#ifndef PAIR
#define PAIR 0  // 1: a weight as two summands, see lookup_summands; pays for one or two positions
#endif
#define THREADS (WARPS * 32)

struct Weights {
    u64 header[ROWS];
    u64 low[ROWS];
    u64 high[ROWS];
};

__device__ __forceinline__ u64 load64(const u8* address) {
    u64 value;
#if __CUDA_ARCH__ >= 800 && PREFETCH
    asm("ld.global.nc.L2::256B.b64 %0, [%1];" : "=l"(value) : "l"(address));
#else
    asm("ld.global.nc.b64 %0, [%1];" : "=l"(value) : "l"(address));
#endif
    return value;
}

__device__ __forceinline__ void fetch(Weights& w, const u8* block, long row_bytes, int part) {
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        w.header[r] = load64(block + r * row_bytes);
        w.low[r] = load64(block + r * row_bytes + part);
        w.high[r] = load64(block + r * row_bytes + part + 8);
    }
}

__device__ __forceinline__ void multiply(float (&sum)[ROWS * POSITIONS], const Weights& w, const uint4* x,
                                         const float* scale, int subs, int sub, const Summands& of) {
    u32 decoded[ROWS][PAIR + 1][8];
    float weight_scale[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const u32 words[4] = {(u32)w.low[r], (u32)(w.low[r] >> 32), (u32)w.high[r], (u32)(w.high[r] >> 32)};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#if PAIR
            u32 low[2], high[2];
            lookup_summands(words[i], low, high, of);
            decoded[r][0][2 * i] = low[0], decoded[r][0][2 * i + 1] = low[1];
            decoded[r][1][2 * i] = high[0], decoded[r][1][2 * i + 1] = high[1];
#else
            lookup(words[i], decoded[r][0][2 * i], decoded[r][0][2 * i + 1]);
#endif
        }
        weight_scale[r] = half_to_float((u32)w.header[r] & 0xFFFFu) * (float)sub_scale(w.header[r], sub & 7);
    }
#pragma unroll
    for (int m = 0; m < POSITIONS; ++m) {
        const uint4 a = x[(2 * m) * subs + sub], b = x[(2 * m + 1) * subs + sub];
        const u32 words[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        const float dx = scale[m * subs + sub], back = -MAGIC_FLOAT * dx;  // exact: dx has eleven bits
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            int total = MAGIC_BITS;
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int half = 0; half <= PAIR; ++half) total = __dp4a((int)decoded[r][half][i], (int)words[i], total);
            sum[r * POSITIONS + m] += fmaf(__int_as_float(total), dx, back) * weight_scale[r];
        }
    }
}

// Sums over the lanes of a warp: halves of the array are exchanged while there are halves, so that 32 sums cost 31 exchanges.
template <int COUNT, int OFFSET>
struct Fold {
    static __device__ __forceinline__ void over_lanes(float* sum, int lane) {
        if (COUNT > 1) {
#pragma unroll
            for (int i = 0; i < COUNT / 2; ++i) {
                const bool upper = lane & OFFSET;
                const float give = upper ? sum[i] : sum[i + COUNT / 2], keep = upper ? sum[i + COUNT / 2] : sum[i];
                sum[i] = keep + __shfl_xor_sync(0xFFFFFFFFu, give, OFFSET);
            }
        } else {
            sum[0] += __shfl_xor_sync(0xFFFFFFFFu, sum[0], OFFSET);
        }
        Fold<(COUNT > 1 ? COUNT / 2 : 1), OFFSET / 2>::over_lanes(sum, lane);
    }
};

template <int COUNT>
struct Fold<COUNT, 0> {
    static __device__ __forceinline__ void over_lanes(float*, int) {}
};

// Copies the positions of this block to shared memory: two groups of sixteen bytes a sub-block, and its scale.
__device__ __forceinline__ void stage(uint4* x, float* scale, const u8* activations, int first, int count, int subs) {
    for (int item = threadIdx.x; item < POSITIONS * subs; item += THREADS) {
        const int m = POSITIONS == 1 ? 0 : item / subs, sub = item - m * subs;
        uint4 a = make_uint4(0, 0, 0, 0), b = a;
        float dx = 0.0f;
        if (first + m < count) {
            const u32* block = (const u32*)(activations + ((long)(first + m) * subs + sub) * Q8_BYTES);
            dx = half_to_float(block[0] & 0xFFFFu);
            interleave(block[1], block[5], a.x, a.y);
            interleave(block[2], block[6], a.z, a.w);
            interleave(block[3], block[7], b.x, b.y);
            interleave(block[4], block[8], b.z, b.w);
        }
        x[(2 * m) * subs + sub] = a;
        x[(2 * m + 1) * subs + sub] = b;
        scale[m * subs + sub] = dx;
    }
}

// weights[rows][k / 256][136], activations[count][k / 32][36], y[count][rows]; rows a multiple of ROWS. Shared memory:
// POSITIONS * (k + k / 8) bytes.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
iq4xs_mmv(const u8* __restrict__ weights, const u8* __restrict__ activations, float* __restrict__ y, int rows, int k, int count) {
    extern __shared__ uint4 shared[];
    const int subs = k / 32, lane = threadIdx.x & 31, warp = threadIdx.x >> 5, first = blockIdx.y * POSITIONS;
    const long row_bytes = (long)(k / 256) * BLOCK_BYTES;
    float* scale = (float*)(shared + 2 * POSITIONS * subs);

    const int groups = rows / ROWS, warps = gridDim.x * WARPS, me = blockIdx.x * WARPS + warp;
    const int share = groups / warps, rest = groups % warps;  // the first ones take one group more
    const int begin = me * share + min(me, rest), end = begin + share + (me < rest);
    const int rounds = (subs + 31) / 32, steps = (end - begin) * rounds;

    // This lane's block: a round later it is four blocks on. Lanes behind the row's end, and steps behind the last, read the
    // first block of all and use nothing of it.
    const u8* row = weights + begin * ROWS * row_bytes;
    const int inside = (lane >> 3) * BLOCK_BYTES, part = 8 + 16 * (lane & 7);
    int next_round = 0, asked = 0;
    auto request = [&](Weights& w) {
        const bool valid = asked < steps && lane + 32 * next_round < subs;
        fetch(w, valid ? row + inside + next_round * 4 * BLOCK_BYTES : weights, row_bytes, part);
        ++asked;
        if (++next_round == rounds) next_round = 0, row += ROWS * row_bytes;
    };
    Weights ready[AHEAD];
#pragma unroll
    for (int i = 0; i < AHEAD; ++i) request(ready[i]);
    stage(shared, scale, activations, first, count, subs);
    __syncthreads();

    const Summands of = summands();
    float sum[ROWS * POSITIONS];
#pragma unroll
    for (int i = 0; i < ROWS * POSITIONS; ++i) sum[i] = 0.0f;
    int group = begin, round = 0;
    for (int step = 0; step < steps; ++step) {
        const Weights now = ready[0];
#pragma unroll
        for (int i = 0; i + 1 < AHEAD; ++i) ready[i] = ready[i + 1];
        request(ready[AHEAD - 1]);
        if (lane + 32 * round < subs) multiply(sum, now, shared, scale, subs, lane + 32 * round, of);
        if (++round < rounds) continue;
        Fold<ROWS * POSITIONS, 16>::over_lanes(sum, lane);
        constexpr int HELD = ROWS * POSITIONS / 32 > 1 ? ROWS * POSITIONS / 32 : 1;
        constexpr int SPREAD = ROWS * POSITIONS < 32 ? ROWS * POSITIONS : 32;
        const int slot = lane / (32 / SPREAD);  // the highest bits of the lane chose the halves
#pragma unroll
        for (int i = 0; i < HELD; ++i) {
            const int which = slot * HELD + i, r = which / POSITIONS, m = which % POSITIONS;
            if (lane % (32 / SPREAD) == 0 && first + m < count) y[(long)(first + m) * rows + group * ROWS + r] = sum[i];
        }
#pragma unroll
        for (int i = 0; i < ROWS * POSITIONS; ++i) sum[i] = 0.0f;
        round = 0;
        ++group;
    }
}
