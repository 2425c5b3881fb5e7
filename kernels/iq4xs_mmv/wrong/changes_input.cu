#include "plain.cuh"

extern "C" __global__ void iq4xs_mmv(ARGUMENTS)
{
    if (mine() < (long)n * m) y[mine()] = output(weights, activations, mine(), n, k);
    __syncthreads();
    if (mine() == 0) ((u8 *)activations)[4] ^= 1;
}
