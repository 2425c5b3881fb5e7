#include "plain.cuh"

extern "C" __global__ void iq4xs_mmv(ARGUMENTS)
{
    long long began = clock64();
    while (clock64() - began < 20000000)
        ;
    if (mine() < (long)n * m) y[mine()] = output(weights, activations, mine(), n, k);
}
