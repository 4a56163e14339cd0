#pragma once

#include <stddef.h>

// A CUDA runtime that is loaded, as far as it has the functions. cudaError_t is an int, streams and events are
// pointers; these calls have had the same form from CUDA 9 to 13.
struct Dim3 {
  unsigned x, y, z;
};

struct Runtime {
  const char* path;
  int can_run;  // a GPU is there
  const char* (*error_name)(int);
  const char* (*error_text)(int);
  int (*malloc)(void**, size_t);
  int (*free)(void*);
  int (*memcpy)(void*, const void*, size_t, int direction);
  int (*synchronize)(void);
  int (*set_device)(int);
  int (*launch)(const void* function, struct Dim3 grid, struct Dim3 block, void** arguments, size_t shared,
                void* stream);
};

enum { host_to_device = 1, device_to_host = 2 };

// Fills a pointer to a function of a library; 0 if it has none of the name, which is then told.
int find_function(void* handle, const char* path, const char* name, void* pointer);

// Versions, devices, and a kernel on each; `handle` may be NULL.
void ask_runtime(const char* path, void* handle);

// Two runtimes in one process: memory that one allocates is read by the other.
void share_memory(void);

// Any runtime that ran a kernel, for the libraries' memory; NULL if there is none.
const struct Runtime* working_runtime(void);

// Why there is none: for the libraries to say.
const char* no_gpu(void);
