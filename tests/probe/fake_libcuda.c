// A driver that is none: as much of libcuda.so.1 as a CUDA 10.2 runtime wants for a kernel. Memory of the "GPU" is
// memory of the host, and the one kernel it knows runs there. What was asked of it goes to the file $FAKE_CUDA_LOG, a
// line a call; $FAKE_CUDA says in words how it misbehaves.
//
// Runtimes ask, besides the documented functions, for tables of functions by number (cuGetExportTable). Those that 10.2
// calls are here, as far as it calls them; how was seen from its calls. From CUDA 11 on a runtime first makes the
// driver answer a challenge (table d4082055...), to know that it is NVIDIA's. This one does not pretend to be, has no
// such table, and is refused by them.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  invalid_value = 1,
  out_of_memory = 2,
  no_device = 100,
  no_binary = 209,
  not_found = 500,
  launch_failed = 719,
  not_supported = 801
};

static int misbehaves(const char* word) {
  const char* const words = getenv("FAKE_CUDA");
  return words != NULL && strstr(words, word) != NULL;
}

static void note(const char* format, ...) {
  const char* const path = getenv("FAKE_CUDA_LOG");
  FILE* const file = path != NULL ? fopen(path, "a") : NULL;
  if (file == NULL) return;
  va_list values;
  va_start(values, format);
  vfprintf(file, format, values);
  va_end(values);
  fclose(file);
}

// Devices and contexts.

static int contexts[2];
static void* current;

static int device_count(void) { return misbehaves("two-devices") ? 2 : 1; }

int cuInit(unsigned flags) { return misbehaves("no-device") ? no_device : 0; }

int cuDriverGetVersion(int* version) {
  *version = misbehaves("old-driver") ? 9000 : 13000;
  return 0;
}

int cuDeviceGetCount(int* count) {
  *count = device_count();
  return 0;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal < device_count() ? 0 : 101;
}

int cuDeviceGetName(char* name, int length, int device) {
  snprintf(name, (size_t)length, "Fake GPU %d", device);
  return 0;
}

int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  *bytes = (size_t)1 << 30;
  return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  // Threads in a block, sizes of blocks and grids, shared memory, constant memory, warp: CUdevice_attribute 1 to 10.
  static const int limits[] = {0, 1024, 1024, 1024, 64, 2147483647, 65535, 65535, 49152, 65536, 32};
  enum { multiprocessors = 16, major = 75, minor = 76 };
  *value = attribute <= 10                ? limits[attribute]
           : attribute == multiprocessors ? 4
           : attribute == major           ? 7
           : attribute == minor           ? 5
                                          : 1;
  return 0;
}

int cuDeviceGetUuid(void* bytes, int device) {
  memset(bytes, device + 1, 16);
  return 0;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &contexts[device];
  return 0;
}

int cuDevicePrimaryCtxRelease(int device) { return 0; }

int cuCtxSetCurrent(void* context) {
  current = context;
  return 0;
}

int cuCtxGetCurrent(void** context) {
  *context = current;
  return 0;
}

int cuCtxGetDevice(int* device) {
  *device = current == &contexts[1];
  return 0;
}

int cuCtxSynchronize(void) { return 0; }

int cuModuleGetLoadingMode(int* mode) {
  *mode = 1;
  return 0;
}

// Memory: each copy and each argument of a kernel has to lie in an allocation.

static struct {
  char* start;
  size_t size;
} allocations[64];

static int is_allocated(const void* memory, size_t size) {
  for (int i = 0; i < 64; ++i) {
    const char* const start = allocations[i].start;
    if (start != NULL && (const char*)memory >= start && (const char*)memory + size <= start + allocations[i].size)
      return 1;
  }
  return 0;
}

int cuMemAlloc_v2(uintptr_t* memory, size_t size) {
  if (misbehaves("no-memory")) return out_of_memory;
  for (int i = 0; i < 64; ++i)
    if (allocations[i].start == NULL) {
      allocations[i].start = malloc(size);
      allocations[i].size = size;
      *memory = (uintptr_t)allocations[i].start;
      note("alloc %zu\n", size);
      return 0;
    }
  return out_of_memory;
}

int cuMemFree_v2(uintptr_t memory) {
  for (int i = 0; i < 64; ++i)
    if (allocations[i].start == (char*)memory) {
      note("free %zu\n", allocations[i].size);
      free(allocations[i].start);
      allocations[i].start = NULL;
      return 0;
    }
  return invalid_value;
}

int cuMemGetInfo_v2(size_t* available, size_t* total) {
  *available = (size_t)1 << 29;
  *total = (size_t)1 << 30;
  return 0;
}

int cuMemcpyHtoD_v2(uintptr_t to, const void* from, size_t size) {
  if (!is_allocated((void*)to, size)) return invalid_value;
  note("to-device %zu\n", size);
  memcpy((void*)to, from, size);
  return 0;
}

int cuMemcpyDtoH_v2(void* to, uintptr_t from, size_t size) {
  if (!is_allocated((void*)from, size)) return invalid_value;
  note("to-host %zu\n", size);
  memcpy(to, (void*)from, size);
  return 0;
}

// Modules: the fatbin that was registered, its entries looked at.

struct Module {
  int has_machine_code, has_ptx;
};

static long load_module(struct Module** module, const void* const* wrapper) {
  const unsigned char* const bytes = wrapper[1];
  uint16_t header = 0;
  uint64_t payload = 0;
  uint32_t magic = 0;
  memcpy(&magic, bytes, 4);
  memcpy(&header, bytes + 6, 2);
  memcpy(&payload, bytes + 8, 8);
  if (magic != 0xba55ed50) return 200;
  struct Module* const made = calloc(1, sizeof *made);
  note("module");
  for (uint64_t at = header; at < header + payload;) {
    uint16_t kind = 0;
    uint32_t entry = 0, number = 0;
    uint64_t size = 0;
    memcpy(&kind, bytes + at, 2);
    memcpy(&entry, bytes + at + 4, 4);
    memcpy(&size, bytes + at + 8, 8);
    memcpy(&number, bytes + at + 28, 4);
    note(" %s%u", kind == 1 ? "ptx" : "sm_", number);
    *(kind == 1 ? &made->has_ptx : &made->has_machine_code) = 1;
    at += entry + size;
  }
  note("\n");
  if (misbehaves("no-machine-code") && made->has_machine_code) return no_binary;
  *module = made;
  return 0;
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  if (strcmp(name, "cudald_probe") != 0) return not_found;
  *function = module;
  return 0;
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void* stream, void** arguments, void** extra) {
  unsigned* const out = *(unsigned**)arguments[0];
  const unsigned *const in = *(unsigned**)arguments[1], count = *(unsigned*)arguments[2],
                        seed = *(unsigned*)arguments[3];
  note("launch grid %u %u %u block %u %u %u shared %u stream %p count %u\n", grid_x, grid_y, grid_z, block_x, block_y,
       block_z, shared, stream, count);
  if (misbehaves("crash")) abort();
  while (misbehaves("hang")) pause();
  if (misbehaves("launch-fails")) return launch_failed;
  if (!is_allocated(out, count * sizeof *out) || !is_allocated(in, count * sizeof *in)) return 700;
  // As many as the grid has threads, not as many as there are elements.
  for (unsigned i = 0; i < grid_x * block_x; ++i)
    if (i < count) out[i] = in[i] * 2654435761u ^ (i + seed);
  if (misbehaves("wrong-result")) ++out[count - 1];
  return 0;
}

// Events.

int cuEventCreate(void** event, unsigned flags) {
  *event = malloc(1);
  return 0;
}

int cuEventRecord(void* event, void* stream) { return 0; }

int cuEventSynchronize(void* event) { return 0; }

int cuEventElapsedTime(float* time, void* start, void* end) {
  *time = 0.25f;
  return 0;
}

int cuEventDestroy_v2(void* event) {
  free(event);
  return 0;
}

// The tables.

static long primary_context(void** context, int device) {
  *context = &contexts[device];
  return 0;
}

static long nothing(void) { return 0; }

static void* enabled_callbacks[4096];

static long callbacks(void** table, size_t* size) {
  *table = enabled_callbacks;
  *size = sizeof enabled_callbacks / sizeof *enabled_callbacks;
  return 0;
}

static struct {
  void *context, *key, *value;
} kept[16];

static long keep(void* context, void* key, void* value, void* destructor) {
  for (int i = 0; i < 16; ++i)
    if (kept[i].value == NULL) {
      kept[i].context = context;
      kept[i].key = key;
      kept[i].value = value;
      return 0;
    }
  return out_of_memory;
}

static long find_kept(void** value, void* context, void* key) {
  if (context == NULL) context = current;
  for (int i = 0; i < 16; ++i)
    if (kept[i].value != NULL && kept[i].key == key && (kept[i].context == context || kept[i].context == NULL)) {
      *value = kept[i].value;
      return 0;
    }
  return 400;
}

int cuGetExportTable(const void** table, const unsigned char* number) {
  // A table begins with its size, but for the storage.
  static void *contexts_and_modules[16], *hooks[16], *empty[16], *storage[] = {keep, nothing, find_kept};
  for (int i = 0; i < 16; ++i)
    contexts_and_modules[i] = hooks[i] = empty[i] = i == 0 ? (void*)sizeof empty : (void*)nothing;
  contexts_and_modules[2] = primary_context;
  contexts_and_modules[6] = load_module;
  hooks[2] = hooks[6] = callbacks;
  static const struct {
    unsigned char beginning[4];
    void** table;
  } known[] = {{{0x6b, 0xd5, 0xfb, 0x6c}, contexts_and_modules},
               {{0xa0, 0x94, 0x79, 0x8c}, hooks},
               {{0xc6, 0x93, 0x33, 0x6e}, storage},
               {{0x42, 0xd8, 0x5a, 0x81}, empty},
               {{0xf8, 0xcf, 0xf9, 0x51}, empty},
               {{0x21, 0x31, 0x8c, 0x60}, empty},
               {{0x26, 0x3e, 0x88, 0x60}, empty}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (memcmp(number, known[i].beginning, 4) == 0) {
      *table = known[i].table;
      return 0;
    }
  note("no table %02x%02x%02x%02x\n", number[0], number[1], number[2], number[3]);
  return not_found;
}

// From CUDA 11.3 on, functions are asked for by name.

static int unknown(void) { return not_supported; }

int cuGetProcAddress(const char* name, void** function, int version, uint64_t flags);

int cuGetProcAddress_v2(const char* name, void** function, int version, uint64_t flags, int* status) {
  if (status != NULL) *status = 0;
  return cuGetProcAddress(name, function, version, flags);
}

int cuGetProcAddress(const char* name, void** function, int version, uint64_t flags) {
  char newer[128];
  snprintf(newer, sizeof newer, "%s_v2", name);
  if (strcmp(name, "cuGetProcAddress") == 0) {
    *function = version >= 12000 ? (void*)cuGetProcAddress_v2 : (void*)cuGetProcAddress;
    return 0;
  }
  void* const self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  *function = dlsym(self, newer);
  if (*function == NULL) *function = dlsym(self, name);
  if (*function == NULL) *function = (void*)unknown;
  return 0;
}
