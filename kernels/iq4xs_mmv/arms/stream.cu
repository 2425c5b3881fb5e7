// y[row] = sum_k W[row][k] x[k] for one position, sm_90. Each warp has a ring of whole rows of its own in shared memory, filled
// by the bulk copy engine, so that the weights in flight do not depend on registers; the activations stay in registers for
// the whole launch. No warp waits for another.
#include "iq4xs.cuh"
#include "bulk.cuh"

#ifndef ROUNDS
#define ROUNDS 5  // k / 1024: sub-blocks of a row that one lane owns
#endif
#ifndef WARPS
#define WARPS 12
#endif
#ifndef SLOTS
#define SLOTS 5  // rows in flight a warp
#endif
#define ROW_BYTES (ROUNDS * 4 * BLOCK_BYTES)
#define X_BYTES (ROUNDS * 32 * Q8_BYTES)
#define BARRIER_BYTES (((1 + WARPS * SLOTS) * 8 + 127) / 128 * 128)

// weights[rows][k / 256][136], activations[1][k / 32][36], y[1][rows]; k = 1024 ROUNDS. Shared memory: BARRIER_BYTES +
// X_BYTES + WARPS * SLOTS * ROW_BYTES.
extern "C" __global__ void __launch_bounds__(WARPS * 32, 1)
iq4xs_mmv(const u8* __restrict__ weights, const u8* __restrict__ activations, float* __restrict__ y, int rows, int k, int count) {
    extern __shared__ __align__(128) u8 memory[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int share = rows / gridDim.x, rest = rows % gridDim.x;  // the first blocks take one row more
    const int begin = blockIdx.x * share + min((int)blockIdx.x, rest), end = begin + share + ((int)blockIdx.x < rest);
    const int mine = (end - begin - warp + WARPS - 1) / WARPS;
    const u32 barriers = shared_address(memory), own = barriers + (1 + warp * SLOTS) * 8;
    const u8 *raw = memory + BARRIER_BYTES, *ring = raw + X_BYTES + warp * SLOTS * ROW_BYTES;

    auto request = [&](int i) {
        barrier_expect(own + i % SLOTS * 8, ROW_BYTES);
        bulk_copy(shared_address(ring) + i % SLOTS * ROW_BYTES, weights + (long)(begin + warp + i * WARPS) * ROW_BYTES, ROW_BYTES, own + i % SLOTS * 8);
    };
    if (lane == 0) {
        for (int slot = 0; slot < SLOTS; ++slot) barrier_init(own + slot * 8, 1);
        if (warp == 0) barrier_init(barriers, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        if (warp == 0) {
            barrier_expect(barriers, X_BYTES);
            bulk_copy(shared_address(raw), activations, X_BYTES, barriers);
        }
        for (int i = 0; i < min(SLOTS, mine); ++i) request(i);
    }
    const Summands of = summands();
    __syncthreads();
    barrier_wait(barriers, 0);

    u32 x[ROUNDS][8];
    float scale[ROUNDS];
#pragma unroll
    for (int r = 0; r < ROUNDS; ++r) {
        const u32* block = (const u32*)(raw + (lane + 32 * r) * Q8_BYTES);
        scale[r] = half_to_float(block[0] & 0xFFFFu);
#pragma unroll
        for (int i = 0; i < 4; ++i) interleave(block[1 + i], block[5 + i], x[r][2 * i], x[r][2 * i + 1]);
    }
    const u8* from = ring + (lane >> 3) * BLOCK_BYTES;
    const int part = 8 + 16 * (lane & 7);
    for (int i = 0, slot = 0, parity = 0; i < mine; ++i) {
        barrier_wait(own + slot * 8, parity);
        float sum = 0.0f;
#pragma unroll
        for (int r = 0; r < ROUNDS; ++r) {
            const u8* block = from + slot * ROW_BYTES + r * 4 * BLOCK_BYTES;
            const u64 header = *(const u64*)block, lower = *(const u64*)(block + part), upper = *(const u64*)(block + part + 8);
            const u32 words[4] = {(u32)lower, (u32)(lower >> 32), (u32)upper, (u32)(upper >> 32)};
            int total = MAGIC_BITS;
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                u32 low[2], high[2];
                lookup_summands(words[w], low, high, of);
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    total = __dp4a((int)low[half], (int)x[r][2 * w + half], total);
                    total = __dp4a((int)high[half], (int)x[r][2 * w + half], total);
                }
            }
            const float weight_scale = half_to_float((u32)header & 0xFFFFu) * (float)sub_scale(header, lane & 7);
            sum = fmaf(fmaf(__int_as_float(total), scale[r], -MAGIC_FLOAT * scale[r]), weight_scale, sum);
        }
        __syncwarp();
        if (lane == 0 && i + SLOTS < mine) request(i + SLOTS);
#pragma unroll
        for (int hop = 16; hop > 0; hop /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, hop);
        if (lane == 0) y[begin + warp + i * WARPS] = sum;
        if (++slot == SLOTS) slot = 0, parity ^= 1;
    }
}
