#include "plain.cuh"

extern "C" __global__ void iq4xs_mmv(ARGUMENTS)
{
    if (mine() < (long)n * m - n * m / 2) y[mine()] = output(weights, activations, mine(), n, k);
}
