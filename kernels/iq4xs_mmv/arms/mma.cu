// y[m][row] = sum_k W[row][k] x[m][k] with int8 matrix units (mma.sync m16n8k32: one step is one sub-block of 32 weights), sm_90.
// Activations stay in registers for the whole launch: each warp owns fixed sub-blocks of k. Weights stream past them in
// tiles of 16 rows through a ring in shared memory, filled by the bulk copy engine; a tile's partial sums of all warps meet
// in shared memory, and one warp in turn adds them. With CLUSTER > 1 the blocks of a cluster share k (and the same rows), and
// each adds up the columns that it owns.
#include "iq4xs.cuh"
#include "bulk.cuh"

#ifndef COLUMNS
#define COLUMNS 8  // positions, a multiple of 8; more than the count are zeros
#endif
#ifndef WARPS
#define WARPS 16  // a multiple of 8
#endif
#ifndef STEPS
#define STEPS 10  // sub-blocks a warp owns: at least ceil(superblocks of a block's slice / (WARPS / 8))
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef CLUSTER
#define CLUSTER 1
#endif
#ifndef BLOCKS_PER_SM
#define BLOCKS_PER_SM 1
#endif
#ifndef PAIR
#define PAIR 0  // 1: a weight as two summands, see lookup_summands
#endif
#ifndef RAW_ROWS
#define RAW_ROWS COLUMNS  // positions that are brought in at once
#endif
#ifndef FUSED
#define FUSED 0  // 1: activations are fp32 and quantised here
#endif
#define PASSES (COLUMNS / RAW_ROWS)
#define RAW_BUFFERS (PASSES > 1 ? 2 : 1)
#define THREADS (WARPS * 32)
#define TILES_N (COLUMNS / 8)
#define SUBS (STEPS * WARPS)
#define GROUPS (WARPS / 8)  // superblocks side by side
#define TILE_ROWS 16
#define OWNED ((TILES_N + CLUSTER - 1) / CLUSTER)  // column tiles that one block of a cluster adds up
#define PARTIALS (CLUSTER * WARPS * OWNED * 32)    // of 16 bytes: those of one tile of rows

#include "cluster.cuh"

__device__ __forceinline__ void multiply(int (&d)[4], u32 a0, u32 a1, u32 a2, u32 a3, const u32 (&b)[2]) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b[0]), "r"(b[1]), "r"(MAGIC_BITS));
}

__device__ __forceinline__ void multiply_more(int (&d)[4], u32 a0, u32 a1, u32 a2, u32 a3, const u32 (&b)[2]) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b[0]), "r"(b[1]));
}

// Eight fp32 values of a lane (words t and t + 4) to int8 with the scale of their 32, as quantize_q8_1 does it.
__device__ __forceinline__ float quantise(u32 (&to)[2], const float4& low, const float4& high) {
    float most = fmaxf(fmaxf(fmaxf(fabsf(low.x), fabsf(low.y)), fmaxf(fabsf(low.z), fabsf(low.w))),
                       fmaxf(fmaxf(fabsf(high.x), fabsf(high.y)), fmaxf(fabsf(high.z), fabsf(high.w))));
    most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, 1));
    most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, 2));
    const float d = most / 127.0f, inverse = d > 0.0f ? 1.0f / d : 0.0f;
    const int q[8] = {(int)roundf(low.x * inverse), (int)roundf(low.y * inverse), (int)roundf(low.z * inverse),
                      (int)roundf(low.w * inverse), (int)roundf(high.x * inverse), (int)roundf(high.y * inverse),
                      (int)roundf(high.z * inverse), (int)roundf(high.w * inverse)};
    interleave((q[0] & 255) | (q[1] & 255) << 8 | (q[2] & 255) << 16 | (u32)q[3] << 24,
               (q[4] & 255) | (q[5] & 255) << 8 | (q[6] & 255) << 16 | (u32)q[7] << 24, to[0], to[1]);
    float rounded;
    asm("{.reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.f32.f16 %0, h;}" : "=f"(rounded) : "f"(d));
    return rounded;
}

// Four six-bit numbers in the bytes of `scales` to floats d * (number - 32): 2^23 is put over each, and taken off again.
__device__ __forceinline__ void spread(float* to, u32 scales, float d) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
        to[i * 32] = d * (__int_as_float((int)permute(scales, 0x4B000000u, 0x7550u + i)) - 8388640.0f);
}

// The eight scales of each block of a tile, once for all lanes: [SUBS][8] pairs of rows g and g + 8.
__device__ __forceinline__ void prepare(const u8* tile, float2* weight_scale, int pitch, int superblocks) {
    for (int item = threadIdx.x; item < TILE_ROWS * superblocks; item += THREADS) {
        const int row = item & 15, block = item >> 4;
        const uint2 header = *(const uint2*)(tile + row * pitch + block * BLOCK_BYTES);
        const float d = half_to_float(header.x & 0xFFFFu);
        float* to = (float*)(weight_scale + block * 64 + (row & 7)) + (row >> 3);
        // Two bits of each sub-block lie side by side: those of even and odd ones are spread to a byte each.
        u32 even = header.x >> 16 & 0x3333u, odd = header.x >> 18 & 0x3333u;
        even = (even | even << 8) & 0x00FF00FFu, odd = (odd | odd << 8) & 0x00FF00FFu;
        even = (even | even << 4) & 0x03030303u, odd = (odd | odd << 4) & 0x03030303u;
        spread(to, even << 4 | (header.y & 0x0F0F0F0Fu), d);
        spread(to + 16, odd << 4 | (header.y >> 4 & 0x0F0F0F0Fu), d);
    }
}

// weights[rows][k / 256][136], activations[count][k / 32][36] (or fp32 [count][k]), y[count][rows]; k / 256 even. Shared memory:
// barriers, scales of two tiles, of the activations, partial sums of two tiles, ring; at its end first the raw activations.
#if CLUSTER > 1
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, BLOCKS_PER_SM)
#else
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
#endif
iq4xs_mmv(const u8* __restrict__ weights, const u8* __restrict__ activations, float* __restrict__ y, int rows, int k, int count) {
    extern __shared__ __align__(128) u8 memory[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
    const int pairs = k / 512, rank = cluster_rank(), first_block = pairs * rank / CLUSTER * 2;
    const int superblocks = pairs * (rank + 1) / CLUSTER * 2 - first_block, most_blocks = (pairs + CLUSTER - 1) / CLUSTER * 2;
    const int bytes = superblocks * BLOCK_BYTES, pitch = (most_blocks * BLOCK_BYTES) | 16;  // an odd number of 16 bytes: no bank twice
    const long row_bytes = (long)(k / 256) * BLOCK_BYTES;
    const int tile_bytes = TILE_ROWS * pitch;

    float2* weight_scale = (float2*)(memory + 128);
    float4* scale = (float4*)(weight_scale + 2 * SUBS * 8);  // [SUBS][TILES_N][4]: dx and -MAGIC * dx of two positions
    float4* partial = scale + SUBS * TILES_N * 4;            // [2][CLUSTER][WARPS][OWNED][32]
    u8* ring = (u8*)(partial + 2 * PARTIALS);
    const u32 barriers = shared_address(memory), raw_barriers = barriers + 96;

    const int clusters = gridDim.x / CLUSTER, me = blockIdx.x / CLUSTER;
    const int share = rows / clusters, rest = rows % clusters;  // the first ones take one row more
    const int begin = me * share + min(me, rest), end = begin + share + (me < rest);
    const int tiles = (end - begin + TILE_ROWS - 1) / TILE_ROWS;
    const u8* source = weights + begin * row_bytes + (long)first_block * BLOCK_BYTES;

    if (threadIdx.x < STAGES) barrier_init(barriers + 8 * threadIdx.x, 1);
    if (threadIdx.x >= 12 && threadIdx.x < 14) barrier_init(barriers + 8 * threadIdx.x, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    __syncthreads();

    auto request = [&](int tile) {  // by warp 0
        const int stage = tile % STAGES, height = min(TILE_ROWS, end - begin - tile * TILE_ROWS);
        if (lane == 0) barrier_expect(barriers + 8 * stage, height * bytes);
        __syncwarp();
        if (lane < height)
            bulk_copy(shared_address(ring) + stage * tile_bytes + lane * pitch, source + (long)(tile * TILE_ROWS + lane) * row_bytes,
                      bytes, barriers + 8 * stage);
    };
    auto request_all = [&](int from, int to) {
        if (warp == 0)
            for (int tile = from; tile < min(to, tiles); ++tile) request(tile);
    };

    // Sub-block warp % 8 of every GROUPS-th superblock belongs to this warp, so that all offsets are constants.
    u32 held[STEPS][TILES_N][2];
#if FUSED
    request_all(0, STAGES);
#else
    // Raw activations lie at the end of the shared memory; stages of the ring that they do not touch are filled meanwhile.
    const int raw_bytes = superblocks * 8 * Q8_BYTES, raw_pitch = (raw_bytes + 127) / 128 * 128 + 16;
    u32 all_bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(all_bytes));
    u8* raw = memory + (all_bytes - RAW_BUFFERS * RAW_ROWS * raw_pitch) / 128 * 128;
    const int early = min(STAGES, (int)(raw - ring) / tile_bytes);
    auto fetch = [&](int pass) {  // by the last warp; each block begins with another row, so that not all ask for the same
        const int here = min(RAW_ROWS, count - pass * RAW_ROWS);
        const u32 barrier = raw_barriers + 8 * (pass % RAW_BUFFERS);
        if (warp != WARPS - 1 || here <= 0) return;
        if (lane == 0) barrier_expect(barrier, here * raw_bytes);
        __syncwarp();
        for (int i = lane; i < here; i += 32) {
            const int m = (i + me) % here;
            bulk_copy(shared_address(raw) + (pass % RAW_BUFFERS * RAW_ROWS + m) * raw_pitch,
                      activations + ((long)(pass * RAW_ROWS + m) * (k / 32) + first_block * 8) * Q8_BYTES, raw_bytes, barrier);
        }
    };
    for (int pass = 0; pass < RAW_BUFFERS; ++pass) fetch(pass);
    request_all(0, early);
    for (int pass = 0; pass < PASSES; ++pass) {
        if (count > pass * RAW_ROWS) barrier_wait(raw_barriers + 8 * (pass % RAW_BUFFERS), pass / RAW_BUFFERS & 1);
        const u8* buffer = raw + pass % RAW_BUFFERS * RAW_ROWS * raw_pitch;
#pragma unroll
        for (int n = 0; n < TILES_N; ++n) {
            if (n / (RAW_ROWS / 8) != pass) continue;
            const bool counts = n * 8 + g < count;
            const u32* words = (const u32*)(buffer + (counts ? (n * 8 + g) % RAW_ROWS : 0) * raw_pitch + (warp % 8) * Q8_BYTES);
#pragma unroll
            for (int i = 0; i < STEPS; ++i) {
                const int superblock = warp / 8 + i * GROUPS;
                const bool valid = counts && superblock < superblocks;
                const u32* block = words + (valid ? superblock : 0) * 8 * (Q8_BYTES / 4);
                interleave(block[1 + t], block[5 + t], held[i][n][0], held[i][n][1]);
                if (!valid) held[i][n][0] = held[i][n][1] = 0;
                const float dx = valid ? half_to_float(block[0] & 0xFFFFu) : 0.0f;
                if (t == 0) ((float2*)(scale + ((superblock * 8 + warp % 8) * TILES_N + n) * 4))[g] = make_float2(dx, -MAGIC_FLOAT * dx);
            }
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (pass + RAW_BUFFERS < PASSES) fetch(pass + RAW_BUFFERS);
    }
    request_all(early, STAGES);
#endif
#if FUSED
#pragma unroll
    for (int i = 0; i < STEPS; ++i) {
        const int superblock = warp / 8 + i * GROUPS;
        // All lanes take part, since those of a position exchange their largest value; the address stays inside.
        const long block = min(first_block + superblock, k / 256 - 1) * 8 + warp % 8;
#pragma unroll
        for (int n = 0; n < TILES_N; ++n) {
            const float4* x = (const float4*)activations + ((long)min(n * 8 + g, count - 1) * (k / 32) + block) * 8 + t;
            const float d = quantise(held[i][n], x[0], x[4]);
            const bool valid = n * 8 + g < count && superblock < superblocks;
            if (!valid) held[i][n][0] = held[i][n][1] = 0;
            const float dx = valid ? d : 0.0f;
            if (t == 0) ((float2*)(scale + ((superblock * 8 + warp % 8) * TILES_N + n) * 4))[g] = make_float2(dx, -MAGIC_FLOAT * dx);
        }
    }
#endif
    for (int i = threadIdx.x + superblocks * 64; i < SUBS * 8; i += THREADS)  // sub-blocks behind the slice count nothing
        weight_scale[i] = weight_scale[SUBS * 8 + i] = make_float2(0.0f, 0.0f);
    if (tiles > 0) {
        barrier_wait(barriers, 0);
        prepare(ring, weight_scale, pitch, superblocks);
    }
    everybody();

    constexpr Summands constants = {{0xBFAD9881u, 0xF6EADDCFu}, {0x271A0E02u, 0x725A4636u}};
    for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % STAGES, odd = tile & 1;
        float sum[TILES_N][4];
#pragma unroll
        for (int n = 0; n < TILES_N; ++n) sum[n][0] = sum[n][1] = sum[n][2] = sum[n][3] = 0.0f;
        const u8* from = ring + stage * tile_bytes + g * pitch + (warp / 8) * BLOCK_BYTES + 8 + 16 * (warp % 8) + 4 * t;
        const float2* row_scale = weight_scale + (odd * SUBS + (warp / 8) * 8 + warp % 8) * 8 + g;
        const float4* factor = scale + ((warp / 8) * 8 + warp % 8) * TILES_N * 4 + t;
#pragma unroll
        for (int i = 0; i < STEPS; ++i) {
            const float2 w = row_scale[i * GROUPS * 64];
            const u32 upper = *(const u32*)(from + i * GROUPS * BLOCK_BYTES);
            const u32 lower = *(const u32*)(from + 8 * pitch + i * GROUPS * BLOCK_BYTES);
#if PAIR
            u32 a[2], b[2], more_a[2], more_b[2];
            lookup_summands(upper, a, more_a, constants);
            lookup_summands(lower, b, more_b, constants);
#else
            u32 a[2], b[2];
            lookup(upper, a[0], a[1]);
            lookup(lower, b[0], b[1]);
#endif
#pragma unroll
            for (int n = 0; n < TILES_N; ++n) {
                const float4 x = factor[(i * GROUPS * 8 * TILES_N + n) * 4];
                int product[4];
                multiply(product, a[0], b[0], a[1], b[1], held[i][n]);
#if PAIR
                multiply_more(product, more_a[0], more_b[0], more_a[1], more_b[1], held[i][n]);
#endif
                sum[n][0] = fmaf(fmaf(__int_as_float(product[0]), x.x, x.y), w.x, sum[n][0]);
                sum[n][1] = fmaf(fmaf(__int_as_float(product[1]), x.z, x.w), w.x, sum[n][1]);
                sum[n][2] = fmaf(fmaf(__int_as_float(product[2]), x.x, x.y), w.y, sum[n][2]);
                sum[n][3] = fmaf(fmaf(__int_as_float(product[3]), x.z, x.w), w.y, sum[n][3]);
            }
        }
        float4* mine = partial + odd * PARTIALS + (rank * WARPS + warp) * OWNED * 32 + lane;
#pragma unroll
        for (int n = 0; n < TILES_N; ++n) {
            float4* to = mine + n % OWNED * 32;
            if (n / OWNED == rank) {
                *to = make_float4(sum[n][0], sum[n][1], sum[n][2], sum[n][3]);
            } else {
                push(shared_address(to), n / OWNED, sum[n]);
            }
        }
        if (tile + 1 < tiles) {
            barrier_wait(barriers + 8 * ((tile + 1) % STAGES), ((tile + 1) / STAGES) & 1);
            prepare(ring + (tile + 1) % STAGES * tile_bytes, weight_scale + (1 - odd) * SUBS * 8, pitch, superblocks);
        }
        everybody();
        if (warp == 0 && tile + STAGES < tiles) request(tile + STAGES);

        // Each column tile is added up by one warp; the warps take turns.
        const int turn = (warp + WARPS - (tile * OWNED + 1) % WARPS) % WARPS;
        for (int own = turn; own < OWNED; own += WARPS) {
            const float4* at = partial + odd * PARTIALS + own * 32 + lane;
            float total[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 8
            for (int from_warp = 0; from_warp < CLUSTER * WARPS; ++from_warp) {
                const float4 one = at[from_warp * OWNED * 32];
                total[0] += one.x, total[1] += one.y, total[2] += one.z, total[3] += one.w;
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int m = (rank * OWNED + own) * 8 + 2 * t + (i & 1), row = begin + tile * TILE_ROWS + g + (i >> 1) * 8;
                if (m < count && row < end) y[(long)m * rows + row] = total[i];
            }
        }
    }
    if (CLUSTER > 1) everybody();  // nobody leaves while others write into its memory
}
