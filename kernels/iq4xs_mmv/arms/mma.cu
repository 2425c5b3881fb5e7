// y[m][row] = sum_k W[row][k] x[m][k] with int8 matrix units (mma.sync m16n8k32: one step is one sub-block of 32 weights), sm_90.
// Activations stay in registers for the whole launch: each warp owns fixed sub-blocks of k. Weights stream past them in
// tiles of 16 rows through a ring in shared memory, filled by the bulk copy engine; a tile's partial sums of all warps are
// added in shared memory. With CLUSTER > 1 the blocks of a cluster share k (and the same rows) and add up over the cluster.
#include "iq4xs.cuh"

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
#ifndef FUSED
#define FUSED 0  // 1: activations are fp32 and quantised here
#endif
#define THREADS (WARPS * 32)
#define TILES_N (COLUMNS / 8)
#define SUBS (STEPS * WARPS)
#define GROUPS (WARPS / 8)  // superblocks side by side
#define TILE_ROWS 16
#define OUTPUTS (TILE_ROWS * COLUMNS)
#define PARTS (THREADS > OUTPUTS ? (THREADS / OUTPUTS > 4 ? 4 : THREADS / OUTPUTS) : 1)  // threads that add one output
#define PARTIAL_STRIDE (OUTPUTS + (PARTS > 1 ? 32 / PARTS : 0))

__device__ __forceinline__ u32 shared_address(const void* pointer) {
    return (u32)__cvta_generic_to_shared(pointer);
}

__device__ __forceinline__ void barrier_init(u32 barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void barrier_wait(u32 barrier, u32 parity) {
    asm volatile(
        "{.reg .pred done;\n"
        "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;}" ::"r"(barrier), "r"(parity) : "memory");
}

__device__ __forceinline__ void bulk_copy(u32 to, const u8* from, u32 bytes, u32 barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

__device__ __forceinline__ void multiply(int (&d)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(MAGIC_BITS));
}

__device__ __forceinline__ void everybody() {
    if (CLUSTER > 1) {
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    } else {
        __syncthreads();
    }
}

__device__ __forceinline__ u32 cluster_rank() {
    u32 rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return CLUSTER > 1 ? rank : 0;
}

__device__ __forceinline__ float of_rank(u32 address, u32 rank) {
    float value;
    asm volatile("{.reg .u32 remote; mapa.shared::cluster.u32 remote, %1, %2; ld.shared::cluster.f32 %0, [remote];}"
                 : "=f"(value) : "r"(address), "r"(rank) : "memory");
    return value;
}

// One lane's part of a sub-block of one position (words t and t + 4), and the scale of the sub-block.
__device__ __forceinline__ float position(u32& first, u32& second, const u8* activations, long block, int t) {
#if FUSED
    const float4* x = (const float4*)activations + block * 8 + t;
    const float4 low = x[0], high = x[4];
    float most = fmaxf(fmaxf(fmaxf(fabsf(low.x), fabsf(low.y)), fmaxf(fabsf(low.z), fabsf(low.w))),
                       fmaxf(fmaxf(fabsf(high.x), fabsf(high.y)), fmaxf(fabsf(high.z), fabsf(high.w))));
    most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, 1));
    most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, 2));
    const float d = most / 127.0f, inverse = d > 0.0f ? 1.0f / d : 0.0f;
    const int q[8] = {(int)roundf(low.x * inverse), (int)roundf(low.y * inverse), (int)roundf(low.z * inverse),
                      (int)roundf(low.w * inverse), (int)roundf(high.x * inverse), (int)roundf(high.y * inverse),
                      (int)roundf(high.z * inverse), (int)roundf(high.w * inverse)};
    interleave((q[0] & 255) | (q[1] & 255) << 8 | (q[2] & 255) << 16 | (u32)q[3] << 24,
               (q[4] & 255) | (q[5] & 255) << 8 | (q[6] & 255) << 16 | (u32)q[7] << 24, first, second);
    float rounded;
    asm("{.reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.f32.f16 %0, h;}" : "=f"(rounded) : "f"(d));
    return rounded;
#else
    const u32* words = (const u32*)(activations + block * Q8_BYTES);
    interleave(words[1 + t], words[5 + t], first, second);
    return half_to_float(words[0] & 0xFFFFu);
#endif
}

struct Shared {
    u8* ring;
    float2* weight_scale;  // [2][SUBS][8]: rows g and g + 8
    float4* scale;         // [SUBS][TILES_N][4]: dx and -MAGIC * dx of two positions
    float* partial;        // [2][WARPS][PARTIAL_STRIDE]
};

// The eight scales of each block of a tile, once for all lanes.
__device__ __forceinline__ void prepare(const u8* tile, float2* weight_scale, int pitch, int superblocks) {
    for (int item = threadIdx.x; item < TILE_ROWS * superblocks; item += THREADS) {
        const int row = item & 15, block = item >> 4;
        const u64 header = *(const u64*)(tile + row * pitch + block * BLOCK_BYTES);
        const float d = half_to_float((u32)header & 0xFFFFu);
        float* to = (float*)(weight_scale + block * 64 + (row & 7)) + (row >> 3);
#pragma unroll
        for (int j = 0; j < 8; ++j) to[j * 16] = d * (float)sub_scale(header, j);
    }
}

// weights[rows][k / 256][136], activations[count][k / 32][36] (or fp32 [count][k]), y[count][rows]; k / 256 even.
#if CLUSTER > 1
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, BLOCKS_PER_SM)
#else
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
#endif
iq4xs_mmv(const u8* __restrict__ weights, const u8* __restrict__ activations, float* __restrict__ y, int rows, int k, int count) {
    extern __shared__ __align__(128) u8 memory[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
    const int pairs = k / 512, rank = (int)cluster_rank();
    const int first_block = pairs * rank / CLUSTER * 2, superblocks = pairs * (rank + 1) / CLUSTER * 2 - first_block;
    const int most_blocks = (pairs + CLUSTER - 1) / CLUSTER * 2;
    const int bytes = superblocks * BLOCK_BYTES, pitch = (most_blocks * BLOCK_BYTES) | 16;  // an odd number of 16 bytes: no bank twice
    const long row_bytes = (long)(k / 256) * BLOCK_BYTES;
    const int tile_bytes = TILE_ROWS * pitch;

    Shared s;
    s.weight_scale = (float2*)(memory + 128);
    s.scale = (float4*)(s.weight_scale + 2 * SUBS * 8);
    s.partial = (float*)(s.scale + SUBS * TILES_N * 4);
    s.ring = (u8*)(s.partial + 2 * WARPS * PARTIAL_STRIDE);
    const u32 barriers = shared_address(memory);

    const int clusters = gridDim.x / CLUSTER, me = blockIdx.x / CLUSTER;
    const int begin = (int)((long)rows * me / clusters), end = (int)((long)rows * (me + 1) / clusters);
    const int tiles = (end - begin + TILE_ROWS - 1) / TILE_ROWS;
    const u8* source = weights + begin * row_bytes + (long)first_block * BLOCK_BYTES;

    if (threadIdx.x < STAGES) barrier_init(barriers + 8 * threadIdx.x);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int i = threadIdx.x; i < 2 * SUBS * 8; i += THREADS) s.weight_scale[i] = make_float2(0.0f, 0.0f);
    __syncthreads();

    auto request = [&](int tile) {  // by warp 0
        const int stage = tile % STAGES, height = min(TILE_ROWS, end - begin - tile * TILE_ROWS);
        if (lane == 0) barrier_expect(barriers + 8 * stage, height * bytes);
        __syncwarp();
        if (lane < height)
            bulk_copy(shared_address(s.ring) + stage * tile_bytes + lane * pitch, source + (long)(tile * TILE_ROWS + lane) * row_bytes,
                      bytes, barriers + 8 * stage);
    };
    if (warp == 0)
        for (int tile = 0; tile < min(STAGES, tiles); ++tile) request(tile);

    // Sub-block warp % 8 of every GROUPS-th superblock belongs to this warp, so that all offsets are constants.
    u32 held[STEPS][TILES_N][2];
#pragma unroll
    for (int i = 0; i < STEPS; ++i) {
        const int superblock = warp / 8 + i * GROUPS, sub = superblock * 8 + warp % 8;
#pragma unroll
        for (int n = 0; n < TILES_N; ++n) {
            held[i][n][0] = held[i][n][1] = 0;
            float dx = 0.0f;
            const int m = n * 8 + g;
            // All lanes call it, since lanes of a position exchange their largest value; the address stays inside.
            const long block = (long)min(m, count - 1) * (k / 32) + min(first_block + superblock, k / 256 - 1) * 8 + warp % 8;
            u32 first, second;
            const float d = position(first, second, activations, block, t);
            if (m < count && superblock < superblocks) held[i][n][0] = first, held[i][n][1] = second, dx = d;
            if (t == 0) ((float2*)(s.scale + (sub * TILES_N + n) * 4))[g] = make_float2(dx, -MAGIC_FLOAT * dx);
        }
    }

    if (tiles > 0) {
        barrier_wait(barriers, 0);
        prepare(s.ring, s.weight_scale, pitch, superblocks);
    }
    everybody();

    for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % STAGES, odd = tile & 1;
        float sum[TILES_N][4];
#pragma unroll
        for (int n = 0; n < TILES_N; ++n) sum[n][0] = sum[n][1] = sum[n][2] = sum[n][3] = 0.0f;
        const u8* from = s.ring + stage * tile_bytes + g * pitch + (warp / 8) * BLOCK_BYTES + 8 + 16 * (warp % 8) + 4 * t;
        const float2* row_scale = s.weight_scale + (odd * SUBS + (warp / 8) * 8 + warp % 8) * 8 + g;
        const float4* scale = s.scale + ((warp / 8) * 8 + warp % 8) * TILES_N * 4 + t;
#pragma unroll
        for (int i = 0; i < STEPS; ++i) {
            u32 a0, a1, a2, a3;
            lookup(*(const u32*)(from + i * GROUPS * BLOCK_BYTES), a0, a2);
            lookup(*(const u32*)(from + 8 * pitch + i * GROUPS * BLOCK_BYTES), a1, a3);
            const float2 w = row_scale[i * GROUPS * 64];
#pragma unroll
            for (int n = 0; n < TILES_N; ++n) {
                const float4 x = scale[(i * GROUPS * 8 * TILES_N + n) * 4];
                int d[4];
                multiply(d, a0, a1, a2, a3, held[i][n][0], held[i][n][1]);
                sum[n][0] = fmaf(fmaf(__int_as_float(d[0]), x.x, x.y), w.x, sum[n][0]);
                sum[n][1] = fmaf(fmaf(__int_as_float(d[1]), x.z, x.w), w.x, sum[n][1]);
                sum[n][2] = fmaf(fmaf(__int_as_float(d[2]), x.x, x.y), w.y, sum[n][2]);
                sum[n][3] = fmaf(fmaf(__int_as_float(d[3]), x.z, x.w), w.y, sum[n][3]);
            }
        }
        float* partial = s.partial + odd * WARPS * PARTIAL_STRIDE;
#pragma unroll
        for (int n = 0; n < TILES_N; ++n)
            *(float4*)(partial + warp * PARTIAL_STRIDE + n * 128 + lane * 4) = make_float4(sum[n][0], sum[n][1], sum[n][2], sum[n][3]);
        if (tile + 1 < tiles) {
            barrier_wait(barriers + 8 * ((tile + 1) % STAGES), ((tile + 1) / STAGES) & 1);
            prepare(s.ring + (tile + 1) % STAGES * tile_bytes, s.weight_scale + (1 - odd) * SUBS * 8, pitch, superblocks);
        }
        everybody();
        if (warp == 0 && tile + STAGES < tiles) request(tile + STAGES);

        // Outputs are numbered as the partial sums lie; each block of the cluster adds its share of them.
        constexpr int SHARE = OUTPUTS / CLUSTER;
        const int part = PARTS > 1 ? lane / (32 / PARTS) : 0;
        for (int item = warp * (32 / PARTS) + lane % (32 / PARTS); item < (SHARE + 31) / 32 * 32; item += THREADS / PARTS) {
            const int output = rank * SHARE + min(item, SHARE - 1);
            float total = 0.0f;
#pragma unroll
            for (int other = 0; other < CLUSTER; ++other) {
                const float* at = partial + part * PARTIAL_STRIDE + output;
#pragma unroll
                for (int w = 0; w < WARPS / PARTS; ++w) {
                    const float* one = at + w * PARTS * PARTIAL_STRIDE;
                    total += CLUSTER > 1 ? of_rank(shared_address(one), other) : *one;
                }
            }
#pragma unroll
            for (int hop = 32 / PARTS; hop < 32; hop *= 2) total += __shfl_xor_sync(0xFFFFFFFFu, total, hop);
            const int m = (output >> 7) * 8 + 2 * ((output >> 2) & 3) + (output & 1);
            const int row = begin + tile * TILE_ROWS + ((output >> 4) & 7) + ((output >> 1) & 1) * 8;
            if (part == 0 && item < SHARE && m < count && row < end) y[(long)m * rows + row] = total;
        }
    }
    if (CLUSTER > 1) everybody();  // nobody leaves while others read its memory
}
