#include "plain.cuh"

extern "C" __global__ void iq4xs_mmv(ARGUMENTS)
{
}
