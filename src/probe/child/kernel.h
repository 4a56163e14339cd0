#pragma once

#include <stddef.h>

// What tools/make-kernel made of kernel.cu; a size of 0 if it was built without nvcc.
struct KernelImage {
  const unsigned char* bytes;
  size_t size;
};

extern const struct KernelImage kernel_machine_code;  // a fatbin of machine code, and of PTX for newer GPUs
extern const struct KernelImage kernel_ptx;           // a fatbin of PTX alone, for drivers that refuse the other one

// The same on the host.
static inline unsigned kernel_result(unsigned in, unsigned i, unsigned seed) { return in * 2654435761u ^ (i + seed); }
