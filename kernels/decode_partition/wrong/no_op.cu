#include "plain.cuh"

