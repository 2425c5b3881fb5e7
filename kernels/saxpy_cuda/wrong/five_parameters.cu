extern "C" __global__ void saxpy_rows(float *out, const float *a, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i / n] * x[i] + y[i];
}
