// Layout of IQ4_XS and Q8_1 blocks and the lookup of their codebook, for every architecture from sm_61 on.
// IQ4_XS: 256 weights in 136 bytes: half d, u16 scales_h, u8 scales_l[4], u8 qs[128]. Sub-block j of 32 weights has the
// 16 bytes qs[16j..16j+15]: low nibbles are weights 0..15, high nibbles 16..31; its scale is d * (ls - 32), where ls has
// nibble j of scales_l as its low four bits and bits 2j, 2j+1 of scales_h above them.
// Q8_1: 32 activations in 36 bytes: half d, half s, i8 qs[32]; s is not needed for a symmetric codebook.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define BLOCK_BYTES 136
#define Q8_BYTES 36
// Adding integers of less than 2^22 to these bits gives the float 12582912 + integer: a conversion without the slow unit.
#define MAGIC_BITS 0x4B400000
#define MAGIC_FLOAT 12582912.0f

__device__ __forceinline__ float half_to_float(u32 bits) {
    float value;
    asm("{.reg .b16 h; cvt.u16.u32 h, %1; cvt.f32.f16 %0, h;}" : "=f"(value) : "r"(bits));
    return value;
}

__device__ __forceinline__ u32 permute(u32 low, u32 high, u32 selector) {
    u32 picked;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(picked) : "r"(low), "r"(high), "r"(selector));
    return picked;
}

// A constant that stays in a register of each lane: prmt takes one operand at most from elsewhere, and the compiler would move
// the others anew for every use. It cannot know that no lane is both before and behind itself.
__device__ __forceinline__ u32 kept(u32 constant) {
    u32 before, behind;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(behind));
    return constant | (before & behind);
}

// Eight nibbles of one word of qs to eight int8 values, in the order of the nibbles: word t of a sub-block gives
// first = weights (4t, 16+4t, 4t+1, 17+4t), second = (4t+2, 18+4t, 4t+3, 19+4t). Activations are put in the same order
// once (interleave), which costs less than sorting every weight.
__device__ __forceinline__ void lookup(u32 q, u32& first, u32& second) {
    const u32 index = q & 0x77777777u;
    const u32 side = ((q >> 1) & 0x44444444u) | 0x32103210u;
    const u32 low_a = permute(0xBFAD9881u, 0xF6EADDCFu, index), high_a = permute(0x26190D01u, 0x71594535u, index);
    first = permute(low_a, high_a, side);
    const u32 index_b = index >> 16, side_b = side >> 16;
    const u32 low_b = permute(0xBFAD9881u, 0xF6EADDCFu, index_b), high_b = permute(0x26190D01u, 0x71594535u, index_b);
    second = permute(low_b, high_b, side_b);
}

// The same as two summands a weight, for seven instructions instead of eleven and a second product. Where bit 3 of a selector is
// set, prmt gives the sign of the chosen byte eight times over: the lower half of the codebook, all negative, gives -1 for
// nibbles of the upper half, and the upper half plus one, all positive, gives 0 for nibbles of the lower.
struct Summands {
    u32 low[2], high[2];
};

__device__ __forceinline__ Summands summands() {
    return {{kept(0xBFAD9881u), kept(0xF6EADDCFu)}, {kept(0x271A0E02u), kept(0x725A4636u)}};
}

__device__ __forceinline__ void lookup_summands(u32 q, u32 (&low)[2], u32 (&high)[2], const Summands& of) {
    const u32 flipped = q ^ 0x88888888u;
    low[0] = permute(of.low[0], of.low[1], q);
    low[1] = permute(of.low[0], of.low[1], q >> 16);
    high[0] = permute(of.high[0], of.high[1], flipped);
    high[1] = permute(of.high[0], of.high[1], flipped >> 16);
}

// Words t and t + 4 of a Q8_1 block, in the order of lookup().
__device__ __forceinline__ void interleave(u32 low, u32 high, u32& first, u32& second) {
    first = permute(low, high, 0x5140u);
    second = permute(low, high, 0x7362u);
}

// ls - 32 of sub-block j; header is the block's first eight bytes.
__device__ __forceinline__ int sub_scale(u64 header, int j) {
    const u32 scales_h = (u32)(header >> 16) & 0xFFFFu, scales_l = (u32)(header >> 32);
    return (int)(((scales_l >> (4 * j)) & 15u) | (((scales_h >> (2 * j)) & 3u) << 4)) - 32;
}
