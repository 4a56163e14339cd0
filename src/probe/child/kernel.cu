// The kernel that `cudald probe` runs. Whole numbers, so that each element can be checked exactly on the host
// (kernel_result in kernel.h); `extern "C"`, so that its name in the fatbin is the one that is registered.
extern "C" __global__ void cudald_probe(unsigned* out, const unsigned* in, unsigned count, unsigned seed) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i] * 2654435761u ^ (i + seed);
}
