#include <cuda_fp16.h>

extern "C" __global__ void scale(const half *in, half *out, float factor, int n)
{
}
