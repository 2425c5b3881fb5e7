// A Q8_1 block: 32 activations in 36 bytes, half d = max / 127, half s = d * sum of the int8 values, then those.
#pragma once

typedef unsigned char u8;
typedef unsigned int u32;

#define Q8_BYTES 36

__device__ __forceinline__ u32 half_bits(float value) {
    u32 bits;
    asm("{.reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.u32.u16 %0, h;}" : "=r"(bits) : "f"(value));
    return bits;
}

__device__ __forceinline__ u32 scales(float d, int sum) {
    return half_bits(d) | half_bits(d * (float)sum) << 16;
}
