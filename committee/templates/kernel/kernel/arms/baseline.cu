// What production does: the source as the server compiles it.
#include "../kernel.cu"
