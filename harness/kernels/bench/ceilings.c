/* What this processor can do at most: reading memory over and over, and fused multiply-adds in registers. */
#include <stdint.h>

typedef float vector __attribute__((vector_size(64)));

float read_all(const float *from, int64_t bytes, int64_t rounds)
{
    const vector *at = (const vector *)from;
    int64_t count = bytes / (int64_t)sizeof(vector);
    vector a = {0}, b = {0}, c = {0}, d = {0};
    for (int64_t round = 0; round < rounds; round++) {
        for (int64_t i = 0; i + 4 <= count; i += 4) {
            a += at[i];
            b += at[i + 1];
            c += at[i + 2];
            d += at[i + 3];
        }
        __asm__ volatile("" ::: "memory");
    }
    a += b + c + d;
    float sum = 0;
    for (int i = 0; i < 16; i++)
        sum += a[i];
    return sum;
}

float multiply_add(float x, int64_t rounds)
{
    vector held[12];
    for (int k = 0; k < 12; k++)
        for (int i = 0; i < 16; i++)
            held[k][i] = x + (float)k;
    vector factor = held[1] * 0.5f, term = held[2];
    for (int64_t round = 0; round < rounds; round++)
        for (int k = 0; k < 12; k++)
            held[k] = held[k] * factor + term;
    float sum = 0;
    for (int k = 0; k < 12; k++)
        for (int i = 0; i < 16; i++)
            sum += held[k][i];
    return sum;
}
