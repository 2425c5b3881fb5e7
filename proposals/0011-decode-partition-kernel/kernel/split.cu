// Attention of one new position over a long cache, the cache cut into partitions: attend() gives each partition's softmax
// sums, combine() joins them. A block carries HEADS query heads that share a head of the cache, so the cache is read once for
// all of them. Scores of a partition lie in shared memory (HEADS * PARTITION * 4 bytes), which is what its size costs.
// Layout: q[batch][24][256] fp16, keys and values[batch][length][4][256] fp16, out[batch][24][256] fp32.
typedef unsigned int u32;
typedef unsigned short u16;

#ifndef PARTITION
#define PARTITION 1024
#endif
#ifndef HEADS
#define HEADS 6  // query heads a block: 6 is all that share a head of the cache, 3 reads the cache twice
#endif
#define QUERY_HEADS 24
#define CACHE_HEADS 4
#define DIMENSION 256
#define WARPS 8
#define THREADS (WARPS * 32)
#define TOGETHER 4  // positions a warp scores at once
#define WIDTH (HEADS > 4 ? 8 : 4)
#define NOTHING (-1e30f)

__device__ __forceinline__ void halves(u32 pair, float& low, float& high) {
    asm("{.reg .b16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b;}" : "=f"(low), "=f"(high) : "r"(pair));
}

__device__ __forceinline__ void eight(const uint4& packed, float (&to)[8]) {
    halves(packed.x, to[0], to[1]);
    halves(packed.y, to[2], to[3]);
    halves(packed.z, to[4], to[5]);
    halves(packed.w, to[6], to[7]);
}

// Sums COUNT values over the lanes; afterwards a lane holds the value that the highest bits of its number name.
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

// sums[batch][24][splits][256] and stats[batch][24][splits][2] (largest score, sum of exponentials); grid (24 / HEADS, splits, batch).
extern "C" __global__ void __launch_bounds__(THREADS)
attend(float* __restrict__ sums, float* __restrict__ stats, const u16* __restrict__ q, const u16* __restrict__ keys,
       const u16* __restrict__ values, int length, int splits) {
    extern __shared__ float score[];  // [HEADS][PARTITION]
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, head = blockIdx.x * HEADS, split = blockIdx.y, batch = blockIdx.z;
    const int from = split * PARTITION, count = min(PARTITION, length - from);
    const long row = CACHE_HEADS * DIMENSION, base = ((long)batch * length + from) * row + head / (QUERY_HEADS / CACHE_HEADS) * DIMENSION;

    float query[HEADS][8];
#pragma unroll
    for (int h = 0; h < HEADS; ++h) {
        eight(*(const uint4*)(q + ((long)batch * QUERY_HEADS + head + h) * DIMENSION + lane * 8), query[h]);
#pragma unroll
        for (int i = 0; i < 8; ++i) query[h][i] *= 0.0625f;  // 1 / sqrt(256)
    }
    for (int first = warp * TOGETHER; first < count; first += WARPS * TOGETHER) {
        uint4 packed[TOGETHER];
#pragma unroll
        for (int p = 0; p < TOGETHER; ++p)
            packed[p] = *(const uint4*)(keys + base + (long)min(first + p, count - 1) * row + lane * 8);
        float dot[TOGETHER * WIDTH];
#pragma unroll
        for (int p = 0; p < TOGETHER; ++p) {
            float key[8];
            eight(packed[p], key);
#pragma unroll
            for (int h = 0; h < WIDTH; ++h) {
                float sum = 0.0f;
                if (h < HEADS)
#pragma unroll
                    for (int i = 0; i < 8; ++i) sum = fmaf(key[i], query[h < HEADS ? h : 0][i], sum);
                dot[p * WIDTH + h] = sum;
            }
        }
        Fold<TOGETHER * WIDTH, 16>::over_lanes(dot, lane);
        constexpr int SHARED_BY = 32 / (TOGETHER * WIDTH);
        const int which = lane / SHARED_BY, p = which / WIDTH, h = which % WIDTH;
        if (lane % SHARED_BY == 0 && h < HEADS && first + p < count) score[h * PARTITION + first + p] = dot[0];
    }
    __syncthreads();
    if (warp < HEADS) {
        float* mine = score + warp * PARTITION;
        float most = NOTHING, sum = 0.0f;
        for (int i = lane; i < count; i += 32) most = fmaxf(most, mine[i]);
        for (int hop = 16; hop > 0; hop /= 2) most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, hop));
        for (int i = lane; i < count; i += 32) sum += mine[i] = __expf(mine[i] - most);
        for (int hop = 16; hop > 0; hop /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, hop);
        float* to = stats + (((long)batch * QUERY_HEADS + head + warp) * splits + split) * 2;
        if (lane == 0) to[0] = most, to[1] = sum;
    }
    __syncthreads();

    // A warp owns 32 of the 256 values of a row: four lanes of eight values, eight positions side by side.
    float sum[HEADS * 8];
#pragma unroll
    for (int i = 0; i < HEADS * 8; ++i) sum[i] = 0.0f;
    const u16* column = values + base + warp * 32 + (lane & 3) * 8;
#pragma unroll 4
    for (int position = lane >> 2; position < count; position += 8) {
        float value[8];
        eight(*(const uint4*)(column + position * row), value);
#pragma unroll
        for (int h = 0; h < HEADS; ++h) {
            const float weight = score[h * PARTITION + position];
#pragma unroll
            for (int i = 0; i < 8; ++i) sum[h * 8 + i] = fmaf(weight, value[i], sum[h * 8 + i]);
        }
    }
#pragma unroll
    for (int i = 0; i < HEADS * 8; ++i)
        for (int hop = 4; hop < 32; hop *= 2) sum[i] += __shfl_xor_sync(0xFFFFFFFFu, sum[i], hop);
    if (lane < 4)
#pragma unroll
        for (int h = 0; h < HEADS; ++h) {
            float4* to = (float4*)(sums + (((long)batch * QUERY_HEADS + head + h) * splits + split) * DIMENSION + warp * 32 + lane * 8);
            to[0] = make_float4(sum[h * 8], sum[h * 8 + 1], sum[h * 8 + 2], sum[h * 8 + 3]);
            to[1] = make_float4(sum[h * 8 + 4], sum[h * 8 + 5], sum[h * 8 + 6], sum[h * 8 + 7]);
        }
}

// Joins the partitions of a head; grid (24, batch), a thread a value.
extern "C" __global__ void __launch_bounds__(DIMENSION)
combine(float* __restrict__ out, const float* __restrict__ sums, const float* __restrict__ stats, int splits) {
    const long head = (long)blockIdx.y * QUERY_HEADS + blockIdx.x;
    const float2* stat = (const float2*)stats + head * splits;
    const float* sum = sums + head * splits * DIMENSION + threadIdx.x;
    float most = NOTHING, weight = 0.0f, total = 0.0f;
    for (int i = 0; i < splits; ++i) most = fmaxf(most, stat[i].x);
#pragma unroll 8
    for (int i = 0; i < splits; ++i) {
        const float scale = __expf(stat[i].x - most);
        weight = fmaf(scale, stat[i].y, weight);
        total = fmaf(scale, sum[(long)i * DIMENSION], total);
    }
    out[head * DIMENSION + threadIdx.x] = total / weight;
}
