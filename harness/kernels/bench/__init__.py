"""What runs where the kernels run, copied into every pack: standard library and NumPy only, cuda-core for cards."""
