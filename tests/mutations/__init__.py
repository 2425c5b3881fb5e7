"""One mutation of the code for every refusal: each must make that refusal's test fail."""
