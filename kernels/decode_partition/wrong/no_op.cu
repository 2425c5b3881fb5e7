#include "../arms/split.cu"

