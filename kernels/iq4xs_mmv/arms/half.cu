// y[m][row] = sum_k W[row][k] x[m][k] with fp16 matrix units (wgmma), sm_90a. Weights are decoded to fp16 in the registers that wgmma
// takes its first factor from, and never lie anywhere as fp16; activations are fp16 in shared memory, put there in wgmma's
// order by the kernel `arrange`. Weights times their scale are rounded to fp16 (2^-11), as the library's arm rounds them.
// Work is cut evenly over the blocks in units of 256 rows by 128 values of k, whatever row or k a cut falls on: sums of a
// unit that is not whole in k are added to y, which `arrange` has set to zero. The product may be started while `arrange` still
// runs: it asks for its first weights, which `arrange` does not touch, and then waits until all of `arrange` is done.
#include "iq4xs.cuh"
#include "bulk.cuh"

#ifndef COLUMNS
#define COLUMNS 64  // positions: 8, 16, 32 or 64; more than the count are zeros
#endif
#ifndef STAGES
#define STAGES 4  // units of activations in shared memory
#endif
#ifndef GROUPS
#define GROUPS 4  // warp groups of 64 rows each
#endif
#ifndef SLOTS
#define SLOTS 2  // pieces of sixteen rows a warp: one in use, the others on their way
#endif
#ifndef BATCH
#define BATCH 2  // words decoded between two groups of wgmma
#endif
#define TILES_N (COLUMNS / 8)
#define SUMS (COLUMNS / 2)            // a thread's, of 64 rows
#define UNIT_K 128                    // four sub-blocks: one for each lane of a quad
#define UNIT_BYTES (TILES_N * 2048)   // activations of a unit
#define STEP_BYTES (TILES_N * 256)    // of sixteen values of k
#define PIECE_BYTES (2 * BLOCK_BYTES)  // of a row: sixteen bytes divide two blocks, not one
#define PITCH 320                     // of a row's piece: half of the banks further on, so that two rows of four lanes share none
#define SLOT_BYTES (16 * PITCH)       // a piece of sixteen rows
#define HEAD_BYTES 128                // barriers
#define TILE_ROWS (GROUPS * 64)
#define THREADS (GROUPS * 128 + 32)
#define RAISED 64.0f                  // small scales stay normal numbers of fp16

__device__ __forceinline__ u32 half_twice(float value) {
    u32 pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %1;" : "=r"(pair) : "f"(value));
    return pair;
}

// Half of each row of the codebook plus 128, what is put above its bytes, and 2^23, in registers: see kept().
struct Codebook {
    u32 low, high, above, magic;
};

__device__ __forceinline__ Codebook codebook() {
    return {kept(0x3F2D1801u), kept(0xA6998D81u), kept(0x64646464u), kept(0x4B000000u)};
}

// The scale of sub-block j times RAISED, twice: ls under 2^23 is the float 2^23 + ls, of which 2^23 + 32 are taken off again.
__device__ __forceinline__ u32 raised_scale(u64 header, int j, u32 magic) {
    const u32 first = (u32)header, low = ((u32)(header >> 32) >> (4 * j)) & 15u | magic;
    const float offset = __int_as_float((int)(low | ((first >> (12 + 2 * j)) & 0x30u)));
    float d;
    asm("{.reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low;}" : "=f"(d) : "r"(first));
    return half_twice(d * fmaf(offset, RAISED, -8388640.0f * RAISED));
}

// Eight weights of one word: first two registers are k-halves 0 and 1 of step 0, the others of step 1. A byte b of the codebook
// plus 128 becomes the half 1024 + b by putting 0x64 above it; 1152 is taken off exactly, and the scale is put on.
__device__ __forceinline__ void decode(u32 (&to)[4], u32 q, u32 scale, const Codebook& book) {
    const u32 index = q & 0x77777777u, side = ((q >> 1) & 0x44444444u) | 0x32103210u;
    const u32 index_b = index >> 16, side_b = side >> 16;
    const u32 first = permute(permute(book.low, 0x766A5D4Fu, index), permute(book.high, 0xF1D9C5B5u, index), side);
    const u32 second = permute(permute(book.low, 0x766A5D4Fu, index_b), permute(book.high, 0xF1D9C5B5u, index_b), side_b);
    to[0] = permute(first, book.above, 0x4140u);
    to[1] = permute(first, book.above, 0x4342u);
    to[2] = permute(second, book.above, 0x4140u);
    to[3] = permute(second, book.above, 0x4342u);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        asm("sub.rn.f16x2 %0, %0, %1;" : "+r"(to[i]) : "r"(0x64806480u));
        asm("mul.rn.f16x2 %0, %0, %1;" : "+r"(to[i]) : "r"(scale));
    }
}

__device__ __forceinline__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT>
__device__ __forceinline__ void wait_for() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

#if COLUMNS == 8
#define SHAPE "m64n8k16"
#define LIST "{%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, counts, 1, 1, 0;}"
#define FLAG "%9"
#elif COLUMNS == 16
#define SHAPE "m64n16k16"
#define LIST "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, %12, counts, 1, 1, 0;}"
#define FLAG "%13"
#elif COLUMNS == 32
#define SHAPE "m64n32k16"
#define LIST "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19}, %20, counts, 1, 1, 0;}"
#define FLAG "%21"
#else
#define SHAPE "m64n64k16"
#define LIST                                                                                                    \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28," \
    "%29,%30,%31}, {%32,%33,%34,%35}, %36, counts, 1, 1, 0;}"
#define FLAG "%37"
#endif
#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])

// d (or zero) + a b^T for 64 rows, COLUMNS positions, 16 values of k.
__device__ __forceinline__ void multiply(float (&d)[SUMS], u32 a0, u32 a1, u32 a2, u32 a3, u64 b, int keep) {
    asm volatile("{.reg .pred counts; setp.ne.b32 counts, " FLAG ", 0;\n"
                 "wgmma.mma_async.sync.aligned." SHAPE ".f32.f16.f16 " LIST
                 : FOUR(0)
#if COLUMNS > 8
                   , FOUR(4)
#endif
#if COLUMNS > 16
                   , FOUR(8), FOUR(12)
#endif
#if COLUMNS > 32
                   , FOUR(16), FOUR(20), FOUR(24), FOUR(28)
#endif
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(b), "r"(keep));
}

// The launch after this one may begin; all of the launch before this one is done and seen. Without such a launch both do nothing.
__device__ __forceinline__ void let_next_begin() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ __forceinline__ void wait_for_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

__device__ __forceinline__ void copy_16(u32 to, const u8* from) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// What the kernel below asks for: y[count][rows] as zeros, and activations[count][k / 32][36] as fp16 in the order of wgmma's second
// factor: [k / 128][word][step][half of k][tile of 8 positions][position][8 values]; lane t of a quad owns sub-block t.
extern "C" __global__ void __launch_bounds__(128)
arrange(uint4* __restrict__ half_x, float* __restrict__ y, const u8* __restrict__ activations, int rows, int k, int count) {
    let_next_begin();
    const int threads = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
    for (int item = me; item < k / UNIT_K * 4 * COLUMNS; item += threads) {
        const int m = item % COLUMNS, word = item / COLUMNS % 4, unit = item / COLUMNS / 4;
        uint4 out[4];
        u32* halves = (u32*)out;
#pragma unroll
        for (int t = 0; t < 4; ++t) {
            const u32* block = (const u32*)(activations + ((long)min(m, count - 1) * (k / 32) + unit * 4 + t) * Q8_BYTES);
            const float dx = m < count ? half_to_float(block[0] & 0xFFFFu) : 0.0f;
            const u32 low = block[1 + word], high = block[5 + word];
#pragma unroll
            for (int i = 0; i < 4; ++i) {  // step i / 2, half of k i % 2: values 4 word + i and 16 above it
                const float one = (float)(signed char)(low >> (8 * i)) * dx, other = (float)(signed char)(high >> (8 * i)) * dx;
                asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(halves[i * 4 + t]) : "f"(other), "f"(one));
            }
        }
        uint4* to = half_x + (long)unit * (UNIT_BYTES / 16) + word * (2 * STEP_BYTES / 16) + (m / 8) * 8 + m % 8;
#pragma unroll
        for (int i = 0; i < 4; ++i) to[i * TILES_N * 8] = out[i];
    }
    const long values = (long)rows * count;
    for (long item = me; item < values / 4; item += threads) ((float4*)y)[item] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (long item = values / 4 * 4 + me; item < values; item += threads) y[item] = 0.0f;
}

// weights[rows][k / 256][136], half_x of arrange(), y[count][rows]; k a multiple of 512. Shared memory: HEAD_BYTES + STAGES * UNIT_BYTES + GROUPS *
// 4 * SLOTS * SLOT_BYTES.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
iq4xs_mmv(const u8* __restrict__ weights, const u8* __restrict__ half_x, float* __restrict__ y, int rows, int k, int count) {
    extern __shared__ __align__(128) u8 memory[];
    const int lane = threadIdx.x & 31, warp = __shfl_sync(0xFFFFFFFFu, threadIdx.x >> 5, 0), g = lane >> 2, t = lane & 3;
    const int units_k = k / UNIT_K, units = (rows + TILE_ROWS - 1) / TILE_ROWS * units_k;
    const int begin = (int)((long)units * blockIdx.x / gridDim.x), end = (int)((long)units * (blockIdx.x + 1) / gridDim.x);
    const u32 full = shared_address(memory), empty = full + 8 * STAGES, shared_x = full + HEAD_BYTES;

    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage) barrier_init(full + 8 * stage, 1), barrier_init(empty + 8 * stage, GROUPS * 4);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (warp == GROUPS * 4) {
        if (lane != 0) return;
        wait_for_before();
        for (int unit = begin, unit_k = begin % units_k, stage = 0, parity = 1; unit < end; ++unit) {
            barrier_wait(empty + 8 * stage, parity);
            barrier_expect(full + 8 * stage, UNIT_BYTES);
            bulk_copy(shared_x + stage * UNIT_BYTES, half_x + (long)unit_k * UNIT_BYTES, UNIT_BYTES, full + 8 * stage);
            if (++stage == STAGES) stage = 0, parity ^= 1;
            if (++unit_k == units_k) unit_k = 0;
        }
        return;
    }

    const int row_bytes = k / 256 * BLOCK_BYTES, pieces_k = units_k / 4, last_piece = (end - 1) / 4;
    u8* ring = memory + HEAD_BYTES + STAGES * UNIT_BYTES + warp * SLOTS * SLOT_BYTES;
    auto request = [&](int piece) {  // seventeen times sixteen bytes of each of sixteen rows
        if (piece <= last_piece) {
            const u32 to = shared_address(ring) + piece % SLOTS * SLOT_BYTES;
            const int first = piece / pieces_k * TILE_ROWS + warp * 16;
            const u8* from = weights + (long)(piece % pieces_k) * PIECE_BYTES;
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const u8* row = from + (long)min(first + g + 8 * h, rows - 1) * row_bytes + 16 * t;
#pragma unroll
                for (int i = 0; i < 4; ++i) copy_16(to + (g + 8 * h) * PITCH + 16 * t + 64 * i, row + 64 * i);
            }
            if (lane < 16) copy_16(to + lane * PITCH + 256, from + (long)min(first + lane, rows - 1) * row_bytes + 256);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };

    const Codebook book = codebook();
    float sum[SUMS];
    const u64 descriptor = (u64)(TILES_N * 128 >> 4) << 16 | (u64)(128 >> 4) << 32;
    int stage = 0, parity = 0, before = -1, keep = 0, tile = begin / units_k, unit_k = begin % units_k;
    u32 a[2][8 * BATCH];
    for (int i = 0; i < SLOTS - 1; ++i) request(begin / 4 + i);
    wait_for_before();  // y holds zeros from here on
    for (int piece = begin / 4; piece <= last_piece; ++piece) {
        asm volatile("cp.async.wait_group %0;" ::"n"(SLOTS - 2) : "memory");
        __syncwarp();
        request(piece + SLOTS - 1);  // into the slot of the piece before this, which every lane has done with
        const u8* from = ring + piece % SLOTS * SLOT_BYTES + g * PITCH;
        const int last = min(end, piece * 4 + 4);
        for (int unit = max(begin, piece * 4); unit < last; ++unit) {
            const u8* at = from + (unit & 2) * (BLOCK_BYTES / 2);
            const int sub = (unit & 1) * 4 + t;
            u32 words[2][4], scale[2];
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const u64 header = *(const u64*)(at + 8 * h * PITCH);
                const u64 lower = *(const u64*)(at + 8 * h * PITCH + 8 + 16 * sub), upper = *(const u64*)(at + 8 * h * PITCH + 16 + 16 * sub);
                words[h][0] = (u32)lower, words[h][1] = (u32)(lower >> 32), words[h][2] = (u32)upper, words[h][3] = (u32)(upper >> 32);
                scale[h] = raised_scale(header, sub, book.magic);
            }
            const u64 b = descriptor | (u64)((shared_x + stage * UNIT_BYTES) >> 4);
#pragma unroll
            for (int batch = 0; batch < 4 / BATCH; ++batch) {
                u32* to = a[batch & 1];
                wait_for<1>();  // those before the last: their registers are free again
                if (batch == 1 && before >= 0 && lane == 0) barrier_arrive(empty + 8 * before);
#pragma unroll
                for (int w = 0; w < BATCH; ++w) {
                    u32 upper[4], lower[4];
                    decode(upper, words[0][batch * BATCH + w], scale[0], book);
                    decode(lower, words[1][batch * BATCH + w], scale[1], book);
#pragma unroll
                    for (int i = 0; i < 4; ++i) to[8 * w + 2 * i] = upper[i], to[8 * w + 2 * i + 1] = lower[i];
                }
                if (batch == 0) barrier_wait(full + 8 * stage, parity);
                fence();
#pragma unroll
                for (int w = 0; w < 2 * BATCH; ++w) {
                    const u64 here = b + (2 * BATCH * batch + w) * (STEP_BYTES >> 4);
                    multiply(sum, to[4 * w], to[4 * w + 1], to[4 * w + 2], to[4 * w + 3], here, batch + w > 0 ? 1 : keep);
                }
                keep = 1;
                commit();
            }
            before = stage;
            if (++stage == STAGES) stage = 0, parity ^= 1;
            const bool whole_k = ++unit_k == units_k;
            if (unit + 1 < end && !whole_k) continue;

            wait_for<0>();
            keep = 0;
            const bool whole = whole_k && begin <= tile * units_k;
#pragma unroll
            for (int i = 0; i < SUMS; ++i) {
                const int m = i / 4 * 8 + 2 * t + (i & 1), row = tile * TILE_ROWS + warp * 16 + g + (i >> 1 & 1) * 8;
                float* to = y + (long)m * rows + row;
                if (m >= count || row >= rows) continue;
                if (whole) {
                    *to = sum[i] * (1.0f / RAISED);
                } else {
                    atomicAdd(to, sum[i] * (1.0f / RAISED));
                }
            }
            unit_k = 0, ++tile;
        }
    }
}
