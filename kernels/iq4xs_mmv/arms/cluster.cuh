// The blocks of a cluster (CLUSTER of them, 1 for none): waiting for each other, and writing into each other's shared memory.
#pragma once

__device__ __forceinline__ void everybody() {
    if (CLUSTER > 1) {
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    } else {
        __syncthreads();
    }
}

__device__ __forceinline__ int cluster_rank() {
    u32 rank = 0;
    if (CLUSTER > 1) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return (int)rank;
}

__device__ __forceinline__ void push(u32 address, u32 rank, const float (&v)[4]) {
    asm volatile("{.reg .u32 there; mapa.shared::cluster.u32 there, %0, %1;\n"
                 "st.shared::cluster.v4.f32 [there], {%2, %3, %4, %5};}" ::"r"(address), "r"(rank), "f"(v[0]), "f"(v[1]),
                 "f"(v[2]), "f"(v[3])
                 : "memory");
}
