#include "plain.cuh"

extern "C" __global__ void iq4xs_mmv(ARGUMENTS)
{
    if (mine() < (long)n * m) y[mine()] = output(weights, activations, mine(), n, k);
    else if (mine() < (long)n * m + 4) y[mine()] = 0;
}
