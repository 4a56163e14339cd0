#define _GNU_SOURCE
#include "cuda_runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "record.h"
#include "runtime_version.h"

enum { most_runtimes = 8 };
// Answers of cuInit: CUresult is the same for all drivers.
enum { stub_driver = 34, no_device = 100 };
// One element more than whole blocks: the last block is not full.
enum { block_size = 128, count = 128 * 257 + 1, bytes = count * sizeof(unsigned) };

static struct Runtime runtimes[most_runtimes];
static int number_of_runtimes;
static char why_no_gpu[512] = "no CUDA runtime is loaded";

int find_function(void* handle, const char* path, const char* name, void* pointer) {
  void* const address = dlsym(handle, name);
  memcpy(pointer, &address, sizeof address);
  if (address == NULL) record_check(path, "functions", result_not_run, "it has no function %s", name);
  return address != NULL;
}

static const char* describe(const struct Runtime* runtime, int error) {
  static char text[1024];
  snprintf(text, sizeof text, "%s (%d): %s", runtime->error_name(error), error, runtime->error_text(error));
  return text;
}

static void spell_version(int version, char* text, size_t size) {
  snprintf(text, size, "%d.%d", version / 1000, version % 1000 / 10);
}

// By name: CUDA 10.1 gave most errors other numbers.
static int is_error(const struct Runtime* runtime, int error, const char* name) {
  return strcmp(runtime->error_name(error), name) == 0;
}

// Whether the driver has no use for an image of the kernel, so that another one may serve.
static int is_refused_image(const struct Runtime* runtime, int error) {
  static const char* const names[] = {"cudaErrorNoKernelImageForDevice", "cudaErrorInvalidKernelImage",
                                      "cudaErrorInvalidPtx", "cudaErrorUnsupportedPtxVersion",
                                      "cudaErrorInvalidDeviceFunction"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (is_error(runtime, error, names[i])) return 1;
  return 0;
}

// What stands between the runtime and a GPU, in words, besides the runtime's own: these do not tell a missing driver
// from an old one, and have let go of the driver by now. So the driver is asked itself. `result` is result_failed where
// there is a driver that should work.
static const char* cause_of(const struct Runtime* runtime, int error, int driver_version, enum Result* result) {
  static char text[400];
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY);
  int (*init)(unsigned) = NULL;
  Dl_info info = {.dli_fname = "libcuda.so.1"};
  void* const address = driver != NULL ? dlsym(driver, "cuInit") : NULL;
  memcpy(&init, &address, sizeof address);
  if (address != NULL) dladdr(address, &info);
  const int answer = init != NULL ? init(0) : 0;
  *result = result_not_run;
  if (driver == NULL)
    snprintf(text, sizeof text, "no NVIDIA driver on this machine");
  else if (answer == stub_driver)
    snprintf(text, sizeof text, "%.300s is the toolkit's stub, not a driver", info.dli_fname);
  else if (is_error(runtime, error, "cudaErrorNoDevice") || answer == no_device)
    snprintf(text, sizeof text, "no GPU that the driver %.300s could use", info.dli_fname);
  else
    *result = result_failed;
  if (*result != result_failed) return text;
  if (is_error(runtime, error, "cudaErrorInsufficientDriver") && driver_version > 0)
    snprintf(text, sizeof text, "the driver %.300s is too old for this runtime", info.dli_fname);
  else
    snprintf(text, sizeof text, "the driver %.300s does not work (cuInit gives %d)", info.dli_fname, answer);
  return text;
}

static int find_functions(void* handle, struct Runtime* runtime) {
  const struct {
    const char* name;
    void* pointer;
  } wanted[] = {
      {"cudaGetErrorName", &runtime->error_name}, {"cudaGetErrorString", &runtime->error_text},
      {"cudaMalloc", &runtime->malloc},           {"cudaFree", &runtime->free},
      {"cudaMemcpy", &runtime->memcpy},           {"cudaDeviceSynchronize", &runtime->synchronize},
      {"cudaSetDevice", &runtime->set_device},    {"cudaLaunchKernel", &runtime->launch},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i)
    if (!find_function(handle, runtime->path, wanted[i].name, wanted[i].pointer)) return 0;
  return 1;
}

// cudaGetDeviceProperties fills a structure that differs between majors; the name comes first in all of them.
static void record_device(const struct Runtime* runtime, void* handle, int device) {
  enum { compute_major = 75, compute_minor = 76, multiprocessors = 16, ecc = 32 };
  int (*properties)(void*, int) = NULL;
  int (*attribute)(int*, int, int) = NULL;
  int (*memory)(size_t*, size_t*) = NULL;
  if (!find_function(handle, runtime->path, "cudaGetDeviceProperties", &properties) ||
      !find_function(handle, runtime->path, "cudaDeviceGetAttribute", &attribute) ||
      !find_function(handle, runtime->path, "cudaMemGetInfo", &memory))
    return;
  static char structure[16384];
  int major = 0, minor = 0, processors = 0, with_ecc = 0;
  size_t available = 0, total = 0;
  int error = properties(structure, device);
  if (error == 0) error = attribute(&major, compute_major, device);
  if (error == 0) error = attribute(&minor, compute_minor, device);
  if (error == 0) error = attribute(&processors, multiprocessors, device);
  if (error == 0) error = attribute(&with_ecc, ecc, device);
  if (error == 0) error = runtime->set_device(device);
  if (error == 0) error = memory(&available, &total);
  char what[32];
  snprintf(what, sizeof what, "device %d", device);
  if (error != 0)
    record_check(runtime->path, what, result_failed, "%s", describe(runtime, error));
  else
    record_check(runtime->path, what, result_ok, "%.255s, sm_%d%d, %d multiprocessors, %zu of %zu MiB free%s",
                 structure, major, minor, processors, available >> 20, total >> 20, with_ecc ? ", ECC" : "");
}

// The registration that nvcc's start-up code makes for a fatbin (crt/host_runtime.h of each toolkit).
struct FatBinaryWrapper {
  int magic, version;
  const void* data;
  void* unused;
};

struct Registered {
  const struct KernelImage* image;
  const char* what;
  struct FatBinaryWrapper wrapper;
  void** handle;
  char function;  // its address stands for the kernel
};

static struct Registered registered[most_runtimes][2];

static int register_kernel(void* handle, const struct Runtime* runtime, struct Registered* entry,
                           const struct KernelImage* image, const char* what) {
  void** (*fat_binary)(void*) = NULL;
  void (*function)(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*) = NULL;
  if (!find_function(handle, runtime->path, "__cudaRegisterFatBinary", &fat_binary) ||
      !find_function(handle, runtime->path, "__cudaRegisterFunction", &function))
    return 0;
  entry->image = image;
  entry->what = what;
  entry->wrapper = (struct FatBinaryWrapper){0x466243b1, 1, image->bytes, NULL};
  entry->handle = fat_binary(&entry->wrapper);
  static char name[] = "cudald_probe";
  function(entry->handle, &entry->function, name, name, -1, NULL, NULL, NULL, NULL, NULL);
  void (*end)(void**) = NULL;  // CUDA 10.1 and later
  void* const address = dlsym(handle, "__cudaRegisterFatBinaryEnd");
  memcpy(&end, &address, sizeof end);
  if (end != NULL) end(entry->handle);
  return 1;
}

struct Times {
  float to_device, launch, to_host;  // milliseconds
};

struct Clock {
  int (*create)(void**);
  int (*record)(void*, void* stream);
  int (*wait)(void*);
  int (*elapsed)(float*, void*, void*);
  int (*destroy)(void*);
};

static int find_clock(void* handle, const struct Runtime* runtime, struct Clock* clock) {
  return find_function(handle, runtime->path, "cudaEventCreate", &clock->create) &&
         find_function(handle, runtime->path, "cudaEventRecord", &clock->record) &&
         find_function(handle, runtime->path, "cudaEventSynchronize", &clock->wait) &&
         find_function(handle, runtime->path, "cudaEventElapsedTime", &clock->elapsed) &&
         find_function(handle, runtime->path, "cudaEventDestroy", &clock->destroy);
}

static unsigned input_of(unsigned i) { return i * 7u + 3u; }

static int launch(const struct Runtime* runtime, const void* function, void* out, void* in, unsigned seed) {
  unsigned elements = count;
  void* arguments[] = {&out, &in, &elements, &seed};
  const struct Dim3 grid = {(count + block_size - 1) / block_size, 1, 1}, block = {block_size, 1, 1};
  return runtime->launch(function, grid, block, arguments, 0, NULL);
}

// The index of the first wrong element, or -1.
static int first_wrong(const unsigned* out, unsigned seed) {
  for (unsigned i = 0; i < count; ++i)
    if (out[i] != kernel_result(input_of(i), i, seed)) return (int)i;
  return -1;
}

static int run_kernel(const struct Runtime* runtime, const struct Clock* clock, const void* function, unsigned seed,
                      unsigned* data, struct Times* times) {
  void *in = NULL, *out = NULL, *events[4] = {NULL, NULL, NULL, NULL};
  int error = runtime->malloc(&in, bytes);
  if (error == 0) error = runtime->malloc(&out, bytes);
  for (int i = 0; error == 0 && i < 4; ++i) error = clock->create(&events[i]);
  for (unsigned i = 0; i < count; ++i) data[i] = input_of(i);
  if (error == 0) error = clock->record(events[0], NULL);
  if (error == 0) error = runtime->memcpy(in, data, bytes, host_to_device);
  memset(data, 0, bytes);
  if (error == 0) error = clock->record(events[1], NULL);
  if (error == 0) error = launch(runtime, function, out, in, seed);
  if (error == 0) error = clock->record(events[2], NULL);
  if (error == 0) error = runtime->synchronize();
  if (error == 0) error = runtime->memcpy(data, out, bytes, device_to_host);
  if (error == 0) error = clock->record(events[3], NULL);
  if (error == 0) error = clock->wait(events[3]);
  if (error == 0) error = clock->elapsed(&times->to_device, events[0], events[1]);
  if (error == 0) error = clock->elapsed(&times->launch, events[1], events[2]);
  if (error == 0) error = clock->elapsed(&times->to_host, events[2], events[3]);
  for (int i = 0; i < 4; ++i)
    if (events[i] != NULL) clock->destroy(events[i]);
  if (out != NULL) runtime->free(out);
  if (in != NULL) runtime->free(in);
  return error;
}

/* Machine code first; where it has none that the driver takes for this GPU, the PTX that the driver compiles. */
static int kernel_on_device(const struct Runtime* runtime, void* handle, struct Registered* entries, int device) {
  struct Clock clock;
  if (!find_clock(handle, runtime, &clock)) return 0;
  unsigned* const data = malloc(bytes);
  if (data == NULL) return 0;
  char what[32];
  snprintf(what, sizeof what, "kernel on device %d", device);
  int fine = 0;
  for (int i = 0; i < 2; ++i) {
    const unsigned seed = 1000u * (unsigned)device + (unsigned)i;
    struct Times times = {0, 0, 0};
    int error = runtime->set_device(device);
    record_step("a kernel on device %d through %s, as %s", device, runtime->path, entries[i].what);
    if (error == 0) error = run_kernel(runtime, &clock, &entries[i].function, seed, data, &times);
    if (i == 0 && is_refused_image(runtime, error)) continue;
    const int wrong = error == 0 ? first_wrong(data, seed) : -1;
    fine = error == 0 && wrong < 0;
    if (error != 0)
      record_check(runtime->path, what, result_failed, "%s", describe(runtime, error));
    else if (wrong >= 0)
      record_check(runtime->path, what, result_failed, "element %d of %d is %u, and should be %u", wrong, (int)count,
                   data[wrong], kernel_result(input_of((unsigned)wrong), (unsigned)wrong, seed));
    else
      record_check(runtime->path, what, result_ok,
                   "%d elements are right (%s); %.3f ms to the GPU, %.3f ms the kernel, %.3f ms back", (int)count,
                   entries[i].what, (double)times.to_device, (double)times.launch, (double)times.to_host);
    break;
  }
  free(data);
  return fine;
}

static void run_kernels(struct Runtime* runtime, void* handle, int devices) {
  struct Registered* const entries = registered[number_of_runtimes];
  if (kernel_ptx.size == 0) {
    record_check(runtime->path, "kernel", result_not_run, "this cudald was built without nvcc, so it has no kernel");
    return;
  }
  record_step("registering a kernel with %s", runtime->path);
  if (!register_kernel(handle, runtime, &entries[0], &kernel_machine_code, "machine code") ||
      !register_kernel(handle, runtime, &entries[1], &kernel_ptx, "PTX"))
    return;
  record_check(runtime->path, "registration", result_ok, "the runtime took the kernel");
  if (devices == 0) {
    record_check(runtime->path, "kernel", result_not_run, "%s", why_no_gpu);
    return;
  }
  for (int device = 0; device < devices; ++device)
    if (kernel_on_device(runtime, handle, entries, device)) runtime->can_run = 1;
}

static void record_runtime_version(const struct Runtime* runtime, int error, int version, int (*function)(int*)) {
  char text[32];
  const int in_code = error == 0 ? 0 : version_in_code(function);
  spell_version(error == 0 ? version : in_code, text, sizeof text);
  if (error == 0)
    record_check(runtime->path, "runtime version", result_ok, "%s", text);
  else if (in_code != 0)
    record_check(runtime->path, "runtime version", result_ok, "%s, read from its code: it answers only with a driver",
                 text);
  else
    record_check(runtime->path, "runtime version", result_not_run, "%s", describe(runtime, error));
}

void ask_runtime(const char* path, void* handle) {
  if (handle == NULL || number_of_runtimes == most_runtimes) return;
  struct Runtime* const runtime = &runtimes[number_of_runtimes];
  memset(runtime, 0, sizeof *runtime);
  runtime->path = path;
  int (*runtime_version)(int*) = NULL;
  int (*driver_version)(int*) = NULL;
  int (*device_count)(int*) = NULL;
  record_step("asking %s", path);
  if (!find_functions(handle, runtime) || !find_function(handle, path, "cudaRuntimeGetVersion", &runtime_version) ||
      !find_function(handle, path, "cudaDriverGetVersion", &driver_version) ||
      !find_function(handle, path, "cudaGetDeviceCount", &device_count))
    return;
  int version = 0, driver = 0, devices = 0;
  char text[32];
  int error = runtime_version(&version);
  record_runtime_version(runtime, error, version, runtime_version);
  record_step("asking %s for the driver", path);
  error = driver_version(&driver);
  spell_version(driver, text, sizeof text);
  if (error != 0)
    record_check(path, "driver version", result_not_run, "%s", describe(runtime, error));
  else if (driver == 0)
    record_check(path, "driver version", result_ok, "none: the runtime finds no driver");
  else
    record_check(path, "driver version", result_ok, "up to CUDA %s", text);
  record_step("asking %s for devices", path);
  error = device_count(&devices);
  if (error != 0) {
    devices = 0;
    enum Result result = result_not_run;
    snprintf(why_no_gpu, sizeof why_no_gpu, "%s", cause_of(runtime, error, driver, &result));
    record_check(path, "devices", result, "%s: %s", why_no_gpu, describe(runtime, error));
  } else {
    record_check(path, "devices", result_ok, "%d", devices);
    if (devices == 0) snprintf(why_no_gpu, sizeof why_no_gpu, "the driver knows no GPU");
    for (int device = 0; device < devices; ++device) record_device(runtime, handle, device);
  }
  run_kernels(runtime, handle, devices);
  ++number_of_runtimes;
}

const struct Runtime* working_runtime(void) {
  for (int i = 0; i < number_of_runtimes; ++i)
    if (runtimes[i].can_run) return &runtimes[i];
  return NULL;
}

const char* no_gpu(void) { return why_no_gpu; }

static void share_between(int from, int to) {
  const struct Runtime *const owner = &runtimes[from], *const reader = &runtimes[to];
  unsigned* const data = malloc(bytes);
  if (data == NULL) return;
  void *in = NULL, *out = NULL;
  const unsigned seed = 77;
  record_step("memory of %s, read by %s", owner->path, reader->path);
  for (unsigned i = 0; i < count; ++i) data[i] = input_of(i);
  int error = owner->set_device(0);
  if (error == 0) error = owner->malloc(&in, bytes);
  if (error == 0) error = owner->memcpy(in, data, bytes, host_to_device);
  const char* told = error != 0 ? describe(owner, error) : NULL;
  if (error == 0) {
    error = reader->set_device(0);
    if (error == 0) error = reader->malloc(&out, bytes);
    // Which of the two images serves this GPU was found out before: the second always does, if the driver takes PTX.
    if (error == 0) error = launch(reader, &registered[to][0].function, out, in, seed);
    if (is_refused_image(reader, error)) error = launch(reader, &registered[to][1].function, out, in, seed);
    memset(data, 0, bytes);
    if (error == 0) error = reader->memcpy(data, out, bytes, device_to_host);
    if (error != 0) told = describe(reader, error);
  }
  const int wrong = error == 0 ? first_wrong(data, seed) : -1;
  if (error != 0)
    record_check(reader->path, "memory of the other runtime", result_failed, "%s", told);
  else if (wrong >= 0)
    record_check(reader->path, "memory of the other runtime", result_failed,
                 "element %d of %d, allocated by %s, reads wrong", wrong, (int)count, owner->path);
  else
    record_check(reader->path, "memory of the other runtime", result_ok, "%d elements that %s allocated are right",
                 (int)count, owner->path);
  if (out != NULL) reader->free(out);
  if (in != NULL) owner->free(in);
  free(data);
}

void share_memory(void) {
  if (number_of_runtimes < 2) return;
  for (int i = 0; i + 1 < number_of_runtimes; ++i) {
    if (runtimes[i].can_run && runtimes[i + 1].can_run) {
      share_between(i, i + 1);
      share_between(i + 1, i);
    } else {
      record_check(runtimes[i + 1].path, "memory of the other runtime", result_not_run, "%s", why_no_gpu);
    }
  }
}
