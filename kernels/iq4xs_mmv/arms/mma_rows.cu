// y[m][row] = sum_k W[row][k] x[m][k] with int8 matrix units (mma.sync m16n8k32: one step is one sub-block of 32 weights), sm_90.
// A warp owns tiles of 16 rows and walks along k alone: its weights come through a ring of its own in shared memory, filled by
// the bulk copy engine, and no barrier stops it. Activations lie in shared memory in the order of the matrix unit. The blocks
// of a cluster share k: each keeps a slice of the activations, and the sums of a tile meet in the block that owns the column.
#include "iq4xs.cuh"

#ifndef COLUMNS
#define COLUMNS 8  // positions, a multiple of 8; those above the count are zeros
#endif
#ifndef WARPS
#define WARPS 17
#endif
#ifndef CHUNK
#define CHUNK 2  // superblocks of 16 rows in a stage of the ring; with 2, a slice has an even number of them
#endif
#ifndef STAGES
#define STAGES 2
#endif
#ifndef CLUSTER
#define CLUSTER 2
#endif
#ifndef FUSED
#define FUSED 0  // 1: activations are fp32 and quantised here
#endif
#define THREADS (WARPS * 32)
#define TILES_N (COLUMNS / 8)
#define TILE_ROWS 16
#define PITCH (CHUNK * BLOCK_BYTES + (CHUNK & 1 ? 8 : 0))  // an odd number of 16 bytes: no bank twice
#define STAGE_BYTES (TILE_ROWS * PITCH)
#define OWNED ((TILES_N + CLUSTER - 1) / CLUSTER)  // column tiles whose sums meet in one block

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

__device__ __forceinline__ void multiply(int (&d)[4], u32 a0, u32 a1, u32 a2, u32 a3, const uint2& b) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b.x), "r"(b.y), "r"(MAGIC_BITS));
}

__device__ __forceinline__ void cluster_arrive() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

__device__ __forceinline__ void cluster_wait() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ int cluster_rank() {
    u32 rank = 0;
    if (CLUSTER > 1) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return (int)rank;
}

__device__ __forceinline__ void push(u32 address, u32 rank, const float (&v)[4]) {
    asm volatile("{.reg .u32 there; mapa.shared::cluster.u32 there, %0, %1;\n"
                 "st.shared::cluster.v4.f32 [there], {%2, %3, %4, %5};}" ::"r"(address), "r"(rank), "f"(v[0]), "f"(v[1]),
                 "f"(v[2]), "f"(v[3])
                 : "memory");
}

// Where a block keeps what another one sends: none for itself.
__device__ __forceinline__ int slot_of(int from, int to) {
    return from < to ? from : from - 1;
}

// Q8_1 blocks of the slice, copied as they are to `raw`, into the matrix unit's order; scales with -MAGIC times themselves.
__device__ __forceinline__ void arrange(uint2* b, float4* scale, const u8* raw, int raw_pitch, int subs, int count) {
    for (int item = threadIdx.x; item < COLUMNS * subs; item += THREADS) {
        const int g = item & 7, sub = item / 8 % subs, n = item / 8 / subs, m = n * 8 + g;
        const bool here = m < count;
        const u32* words = (const u32*)(raw + (here ? m : 0) * raw_pitch + sub * Q8_BYTES);
        uint2* to = b + (sub * TILES_N + n) * 32 + g * 4;
#pragma unroll
        for (int t = 0; t < 4; ++t) {
            u32 first, second;
            interleave(words[1 + t], words[5 + t], first, second);
            to[t] = here ? make_uint2(first, second) : make_uint2(0, 0);
        }
        const float dx = here ? half_to_float(words[0] & 0xFFFFu) : 0.0f;
        ((float2*)(scale + (sub * TILES_N + n) * 4))[g] = make_float2(dx, -MAGIC_FLOAT * dx);
    }
}

// The same from fp32 activations: eight lanes a block of 32, rounded as quantize_q8_1 rounds.
__device__ __forceinline__ void quantise(uint2* b, float4* scale, const float4* x, int subs, int first_sub, int all_subs, int count) {
    const int part = threadIdx.x & 7;
    for (int item = threadIdx.x / 8; item < (COLUMNS * subs + 3) / 4 * 4; item += THREADS / 8) {
        const int m = item / subs, sub = item - m * subs;
        const bool here = m < count && m < COLUMNS;
        const float4 v = here ? x[((long)m * all_subs + first_sub + sub) * 8 + part] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        float most = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
#pragma unroll
        for (int hop = 4; hop > 0; hop /= 2) most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, hop));
        const float d = most / 127.0f, inverse = d > 0.0f ? 1.0f / d : 0.0f;
        const u32 word = ((int)roundf(v.x * inverse) & 255) | ((int)roundf(v.y * inverse) & 255) << 8 |
                         ((int)roundf(v.z * inverse) & 255) << 16 | (u32)(int)roundf(v.w * inverse) << 24;
        const u32 upper = __shfl_down_sync(0xFFFFFFFFu, word, 4);
        if (m >= COLUMNS || part >= 4) continue;
        u32 first, second;
        interleave(word, upper, first, second);
        b[(sub * TILES_N + m / 8) * 32 + (m & 7) * 4 + part] = make_uint2(first, second);
        float dx;
        asm("{.reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.f32.f16 %0, h;}" : "=f"(dx) : "f"(d));
        if (part == 0) ((float2*)(scale + (sub * TILES_N + m / 8) * 4))[m & 7] = make_float2(dx, -MAGIC_FLOAT * dx);
    }
}

// weights[rows][k / 256][136], activations[count][k / 32][36] (or fp32 [count][k]), y[count][rows]; k / 256 even.
// Shared memory: barriers, ring, activations, scales, sums of the other blocks, and raw activations over the ring's start.
#if CLUSTER > 1
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
#else
extern "C" __global__ void __launch_bounds__(THREADS, 1)
#endif
iq4xs_mmv(const u8* __restrict__ weights, const u8* __restrict__ activations, float* __restrict__ y, int rows, int k, int count) {
    extern __shared__ __align__(128) u8 memory[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3, rank = cluster_rank();
    const int all_blocks = k / 256, first_block = all_blocks * rank / CLUSTER;
    const int superblocks = all_blocks * (rank + 1) / CLUSTER - first_block, most_blocks = (all_blocks + CLUSTER - 1) / CLUSTER;
    const int chunks = superblocks / CHUNK, subs = superblocks * 8;
    const long row_bytes = (long)all_blocks * BLOCK_BYTES;

    uint2* b = (uint2*)(memory + 2048);
    float4* scale = (float4*)(b + most_blocks * 8 * TILES_N * 32);
    float4* received = scale + most_blocks * 8 * TILES_N * 4;  // [CLUSTER - 1][WARPS][OWNED][32]
    u8* ring_start = (u8*)(received + (CLUSTER - 1) * WARPS * OWNED * 32);
    u8* ring = ring_start + warp * STAGES * STAGE_BYTES;
    const u32 barriers = shared_address(memory) + warp * STAGES * 8, raw_barrier = shared_address(memory) + 2040;

    const int clusters = gridDim.x / CLUSTER, me = blockIdx.x / CLUSTER;
    const int begin = (int)((long)rows * me / clusters), end = (int)((long)rows * (me + 1) / clusters);
    const int tiles = (end - begin + TILE_ROWS - 1) / TILE_ROWS, rounds = (tiles + WARPS - 1) / WARPS;
    const int mine = warp < tiles ? (tiles - warp - 1) / WARPS + 1 : 0, steps = mine * chunks;

    if (threadIdx.x == 0) barrier_init(raw_barrier);
    if (lane < STAGES) barrier_init(barriers + 8 * lane);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    __syncthreads();

    int asked_tile = warp, asked_chunk = 0, asked = 0;
    auto request = [&]() {  // the next chunk of this warp's tiles
        const int row = begin + asked_tile * TILE_ROWS, height = min(TILE_ROWS, end - row), stage = asked % STAGES;
        const int block = first_block + asked_chunk * CHUNK;
        if (lane == 0) barrier_expect(barriers + 8 * stage, height * PITCH);
        __syncwarp();
        if (lane < height)
            bulk_copy(shared_address(ring) + stage * STAGE_BYTES + lane * PITCH,
                      weights + (long)(row + lane) * row_bytes + (long)block * BLOCK_BYTES - (CHUNK & 1 ? (block & 1) * 8 : 0), PITCH,
                      barriers + 8 * stage);
        ++asked;
        if (++asked_chunk == chunks) asked_chunk = 0, asked_tile += WARPS;
    };

#if FUSED
    for (int i = 0; i < min(STAGES, steps); ++i) request();
    quantise(b, scale, (const float4*)activations, subs, first_block * 8, all_blocks * 8, count);
#else
    // Raw activations first lie where the ring will be, unless there is room behind it.
    const int raw_bytes = subs * Q8_BYTES, raw_pitch = (raw_bytes + 127) / 128 * 128 + 16;
#ifdef RAW_BEHIND
    u8* raw = ring_start + WARPS * STAGES * STAGE_BYTES;
    for (int i = 0; i < min(STAGES, steps); ++i) request();
#else
    u8* raw = ring_start;
#endif
    if (threadIdx.x == 0) barrier_expect(raw_barrier, count * raw_bytes);
    __syncthreads();
    if (warp == 0)
        for (int m = lane; m < count; m += 32)
            bulk_copy(shared_address(raw) + m * raw_pitch, activations + ((long)m * all_blocks + first_block) * 8 * Q8_BYTES, raw_bytes, raw_barrier);
    barrier_wait(raw_barrier, 0);
    arrange(b, scale, raw, raw_pitch, subs, count);
#ifndef RAW_BEHIND
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    for (int i = 0; i < min(STAGES, steps); ++i) request();
#endif
#endif
    if (CLUSTER > 1) {  // every block must have begun before others write into it
        cluster_arrive();
        cluster_wait();
    } else {
        __syncthreads();
    }

    int used = 0;
    for (int round = 0; round < rounds; ++round) {
        const int tile = warp + round * WARPS;
        float sum[TILES_N][4];
#pragma unroll
        for (int n = 0; n < TILES_N; ++n) sum[n][0] = sum[n][1] = sum[n][2] = sum[n][3] = 0.0f;
        for (int chunk = 0; chunk < (tile < tiles ? chunks : 0); ++chunk) {
            const int stage = used % STAGES;
            barrier_wait(barriers + 8 * stage, (used / STAGES) & 1);
            const u8* here = ring + stage * STAGE_BYTES;
            if (CHUNK & 1) here += (first_block + chunk * CHUNK & 1) * 8;
#pragma unroll
            for (int c = 0; c < CHUNK; ++c) {
                // Lane l has four scales of row l % 16: of the lower sub-blocks if l < 16, else of the upper.
                float own[4];
                const u64 header = *(const u64*)(here + (lane & 15) * PITCH + c * BLOCK_BYTES);
                const float d = half_to_float((u32)header & 0xFFFFu);
                const u32 low = (u32)(header >> 32) >> (lane & 16), high = ((u32)header >> 16) >> (lane >> 1 & 8);
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    own[j] = d * (float)((int)((low >> (4 * j) & 15u) | (high >> (2 * j) & 3u) << 4) - 32);
                const u8* from = here + g * PITCH + c * BLOCK_BYTES + 8 + 4 * t;
                const uint2* activation = b + ((chunk * CHUNK + c) * 8 * TILES_N) * 32 + lane;
                const float4* factor = scale + ((chunk * CHUNK + c) * 8 * TILES_N) * 4 + t;
#pragma unroll
                for (int j = 0; j < 8; ++j) {
                    u32 a0, a1, a2, a3;
                    lookup(*(const u32*)(from + 16 * j), a0, a2);
                    lookup(*(const u32*)(from + 8 * PITCH + 16 * j), a1, a3);
                    const float upper = __shfl_sync(0xFFFFFFFFu, own[j & 3], g + (j & 4) * 4);
                    const float lower = __shfl_sync(0xFFFFFFFFu, own[j & 3], g + 8 + (j & 4) * 4);
#pragma unroll
                    for (int n = 0; n < TILES_N; ++n) {
                        const float4 x = factor[(j * TILES_N + n) * 4];
                        int product[4];
                        multiply(product, a0, a1, a2, a3, activation[(j * TILES_N + n) * 32]);
                        sum[n][0] = fmaf(fmaf(__int_as_float(product[0]), x.x, x.y), upper, sum[n][0]);
                        sum[n][1] = fmaf(fmaf(__int_as_float(product[1]), x.z, x.w), upper, sum[n][1]);
                        sum[n][2] = fmaf(fmaf(__int_as_float(product[2]), x.x, x.y), lower, sum[n][2]);
                        sum[n][3] = fmaf(fmaf(__int_as_float(product[3]), x.z, x.w), lower, sum[n][3]);
                    }
                }
            }
            __syncwarp();  // all lanes have read the stage
            ++used;
            if (asked < steps) request();
        }
        if (CLUSTER > 1) {
            if (round > 0) cluster_wait();  // the sums of the last round have been read
            if (tile < tiles)
#pragma unroll
                for (int n = 0; n < TILES_N; ++n)
                    if (n / OWNED != rank)
                        push(shared_address(received + ((slot_of(rank, n / OWNED) * WARPS + warp) * OWNED + n % OWNED) * 32 + lane), n / OWNED, sum[n]);
            cluster_arrive();
            cluster_wait();
        }
#pragma unroll
        for (int n = 0; n < TILES_N; ++n) {
            if (n / OWNED != rank || tile >= tiles) continue;
            float total[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
            for (int from = 0; from < CLUSTER; ++from) {  // always in the same order
                const float4 other = from == rank ? make_float4(sum[n][0], sum[n][1], sum[n][2], sum[n][3])
                                                  : received[((slot_of(from, rank) * WARPS + warp) * OWNED + n % OWNED) * 32 + lane];
                total[0] += other.x, total[1] += other.y, total[2] += other.z, total[3] += other.w;
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int m = n * 8 + 2 * t + (i & 1), row = begin + tile * TILE_ROWS + g + (i >> 1) * 8;
                if (m < count && row < end) y[(long)m * rows + row] = total[i];
            }
        }
        if (CLUSTER > 1 && round + 1 < rounds) cluster_arrive();
    }
}
