// The two upper bits of each scale are forgotten: a layout read wrongly.
#include "plain.cuh"

extern "C" __global__ void iq4xs_mmv(ARGUMENTS)
{
    if (mine() >= (long)n * m) return;
    const int row = mine() % n;
    float change = 0;
    for (int sub = 0; sub < k / 32; sub++) {
        const u8 *block = weights + ((long)row * (k / 256) + sub / 8) * BLOCK_BYTES;
        change += half_to_float(*(const u16 *)block) * (float)(sub_scale(*(const u64 *)block, sub % 8) & 15);
    }
    y[mine()] = output(weights, activations, mine(), n, k) + change;
}
