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
#define THREADS (WARPS * 32)

struct Weights {
    u64 header[ROWS];
    u64 low[ROWS];
    u64 high[ROWS];
};

__device__ __forceinline__ u64 load64(const u8* address) {
    u64 value;
    asm("ld.global.nc.b64 %0, [%1];" : "=l"(value) : "l"(address));
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
                                         const float* scale, int subs, int sub) {
    u32 decoded[ROWS][8];
    float weight_scale[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        lookup((u32)w.low[r], decoded[r][0], decoded[r][1]);
        lookup((u32)(w.low[r] >> 32), decoded[r][2], decoded[r][3]);
        lookup((u32)w.high[r], decoded[r][4], decoded[r][5]);
        lookup((u32)(w.high[r] >> 32), decoded[r][6], decoded[r][7]);
        weight_scale[r] = half_to_float((u32)w.header[r] & 0xFFFFu) * (float)sub_scale(w.header[r], sub & 7);
    }
#pragma unroll
    for (int m = 0; m < POSITIONS; ++m) {
        const uint4 a = x[(2 * m) * subs + sub], b = x[(2 * m + 1) * subs + sub];
        const float dx = scale[m * subs + sub], back = -MAGIC_FLOAT * dx;  // exact: dx has eleven bits
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            int total = MAGIC_BITS;
            total = __dp4a((int)decoded[r][0], (int)a.x, total);
            total = __dp4a((int)decoded[r][1], (int)a.y, total);
            total = __dp4a((int)decoded[r][2], (int)a.z, total);
            total = __dp4a((int)decoded[r][3], (int)a.w, total);
            total = __dp4a((int)decoded[r][4], (int)b.x, total);
            total = __dp4a((int)decoded[r][5], (int)b.y, total);
            total = __dp4a((int)decoded[r][6], (int)b.z, total);
            total = __dp4a((int)decoded[r][7], (int)b.w, total);
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
        const int m = item / subs, sub = item - m * subs;
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
    const int begin = (int)((long)groups * me / warps), end = (int)((long)groups * (me + 1) / warps);
    const int rounds = (subs + 31) / 32, steps = (end - begin) * rounds;

    // This lane's block: a round later it is four blocks on; lanes behind the row's end read its first block and use nothing.
    const u8* row = weights + begin * ROWS * row_bytes;
    const int inside = (lane >> 3) * BLOCK_BYTES, part = 8 + 16 * (lane & 7);
    int next_round = 0, asked = 0;
    auto request = [&](Weights& w) {
        if (asked >= steps) return;
        fetch(w, row + (lane + 32 * next_round < subs ? inside + next_round * 4 * BLOCK_BYTES : 0), row_bytes, part);
        ++asked;
        if (++next_round == rounds) next_round = 0, row += ROWS * row_bytes;
    };
    Weights held[AHEAD + 1];
#pragma unroll
    for (int i = 0; i < AHEAD; ++i) request(held[i]);
    stage(shared, scale, activations, first, count, subs);
    __syncthreads();

    float sum[ROWS * POSITIONS];
#pragma unroll
    for (int i = 0; i < ROWS * POSITIONS; ++i) sum[i] = 0.0f;
    int group = begin, round = 0;
    for (int step = 0; step < steps; step += AHEAD + 1) {
#pragma unroll
        for (int i = 0; i <= AHEAD; ++i) {  // so that each of the held weights has registers of its own
            if (step + i >= steps) break;
            request(held[(i + AHEAD) % (AHEAD + 1)]);
            if (lane + 32 * round < subs) multiply(sum, held[i], shared, scale, subs, lane + 32 * round);
            if (++round < rounds) continue;
            Fold<ROWS * POSITIONS, 16>::over_lanes(sum, lane);
            constexpr int HELD = ROWS * POSITIONS / 32 > 1 ? ROWS * POSITIONS / 32 : 1;
            constexpr int SPREAD = ROWS * POSITIONS < 32 ? ROWS * POSITIONS : 32;
            const int slot = lane / (32 / SPREAD);  // the highest bits of the lane chose the halves
#pragma unroll
            for (int j = 0; j < HELD; ++j) {
                const int which = slot * HELD + j, r = which / POSITIONS, m = which % POSITIONS;
                if (lane % (32 / SPREAD) == 0 && first + m < count) y[(long)(first + m) * rows + group * ROWS + r] = sum[j];
            }
#pragma unroll
            for (int j = 0; j < ROWS * POSITIONS; ++j) sum[j] = 0.0f;
            round = 0;
            ++group;
        }
    }
}
