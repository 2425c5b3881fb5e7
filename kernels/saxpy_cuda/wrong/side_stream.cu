extern "C" __global__ void saxpy_rows(float *out, const float *a, const float *x, const float *y, int rows, int n)
{
    long long began = clock64();
    while (clock64() - began < 20000000)
        ;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * n)
        out[i] = a[i / n] * x[i] + y[i];
}
