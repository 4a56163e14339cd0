#include "cuda_libraries.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime.h"
#include "record.h"

// Small whole numbers: products and sums are exact in every precision that a library may choose, TF32 included, so that
// results must be equal, not close.
static float small_number(int i) { return (float)(i * 7 % 11 - 5); }

// Memory of the GPU with a copy of `from`; zeros if that is NULL. NULL if there is none to be had.
static float* on_device(const struct Runtime* runtime, const float* from, size_t numbers) {
  void* memory = NULL;
  float* const zeros = from == NULL ? calloc(numbers, sizeof(float)) : NULL;
  const float* const source = from != NULL ? from : zeros;
  if (source == NULL || runtime->malloc(&memory, numbers * sizeof(float)) != 0) memory = NULL;
  if (memory != NULL && runtime->memcpy(memory, source, numbers * sizeof(float), host_to_device) != 0) {
    runtime->free(memory);
    memory = NULL;
  }
  free(zeros);
  return memory;
}

static void release(const struct Runtime* runtime, void* memory) {
  if (memory != NULL) runtime->free(memory);
}

static void compare(const char* path, const char* what, const float* got, const float* expected, int numbers) {
  for (int i = 0; i < numbers; ++i)
    if (got[i] != expected[i]) {
      record_check(path, what, result_failed, "element %d of %d is %g, and should be %g", i, numbers, (double)got[i],
                   (double)expected[i]);
      return;
    }
  record_check(path, what, result_ok, "%d elements equal those of the processor", numbers);
}

enum { rows = 17, columns = 13, depth = 19 };

static void multiply(const char* path, void* handle, void* cublas, const struct Runtime* runtime) {
  int (*sgemm)(void*, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*, float*,
               int);
  if (!find_function(handle, path, "cublasSgemm_v2", &sgemm)) return;
  static float a[rows * depth], b[depth * columns], c[rows * columns], expected[rows * columns];
  for (int i = 0; i < rows * depth; ++i) a[i] = small_number(i);
  for (int i = 0; i < depth * columns; ++i) b[i] = small_number(i + 3);
  for (int column = 0; column < columns; ++column)  // column by column, as BLAS stores it
    for (int row = 0; row < rows; ++row)
      for (int k = 0; k < depth; ++k) expected[column * rows + row] += a[k * rows + row] * b[column * depth + k];
  float* const device_a = on_device(runtime, a, rows * depth);
  float* const device_b = on_device(runtime, b, depth * columns);
  float* const device_c = on_device(runtime, NULL, rows * columns);
  const float one = 1, zero = 0;
  if (device_a == NULL || device_b == NULL || device_c == NULL) {
    record_check(path, "SGEMM", result_failed, "no memory on the GPU");
  } else {
    const int status =
        sgemm(cublas, 0, 0, rows, columns, depth, &one, device_a, rows, device_b, depth, &zero, device_c, rows);
    const int error = status == 0 ? runtime->memcpy(c, device_c, sizeof c, device_to_host) : 0;
    if (status != 0)
      record_check(path, "SGEMM", result_failed, "cublasSgemm_v2 gives status %d", status);
    else if (error != 0)
      record_check(path, "SGEMM", result_failed, "%s: %s", runtime->error_name(error), runtime->error_text(error));
    else
      compare(path, "SGEMM", c, expected, rows * columns);
  }
  release(runtime, device_c);
  release(runtime, device_b);
  release(runtime, device_a);
}

void ask_cublas(const char* path, void* handle) {
  if (handle == NULL) return;
  int (*property)(int, int*) = NULL;
  int (*create)(void**) = NULL;
  int (*destroy)(void*) = NULL;
  record_step("asking %s", path);
  if (!find_function(handle, path, "cublasGetProperty", &property) ||
      !find_function(handle, path, "cublasCreate_v2", &create) ||
      !find_function(handle, path, "cublasDestroy_v2", &destroy))
    return;
  int version[3] = {0, 0, 0}, status = 0;
  for (int i = 0; i < 3 && status == 0; ++i) status = property(i, &version[i]);
  if (status != 0) {
    record_check(path, "cuBLAS version", result_failed, "cublasGetProperty gives status %d", status);
    return;
  }
  record_check(path, "cuBLAS version", result_ok, "%d.%d.%d", version[0], version[1], version[2]);
  const struct Runtime* const runtime = working_runtime();
  if (runtime == NULL) {
    record_check(path, "SGEMM", result_not_run, "%s", no_gpu());
    return;
  }
  record_step("a matrix product through %s", path);
  void* cublas = NULL;
  status = runtime->set_device(0) == 0 ? create(&cublas) : -1;
  if (status != 0) {
    record_check(path, "SGEMM", result_failed, "cublasCreate_v2 gives status %d", status);
    return;
  }
  multiply(path, handle, cublas, runtime);
  destroy(cublas);
}

struct Cudnn {
  const char* (*error_text)(int);
  int (*create)(void**), (*destroy)(void*);
  int (*create_tensor)(void**), (*destroy_tensor)(void*);
  int (*set_tensor)(void*, int format, int type, int n, int c, int h, int w);
  int (*create_filter)(void**), (*destroy_filter)(void*);
  int (*set_filter)(void*, int type, int format, int k, int c, int h, int w);
  int (*create_convolution)(void**), (*destroy_convolution)(void*);
  int (*set_convolution)(void*, int, int, int, int, int, int, int mode, int type);
  int (*workspace_size)(void*, void*, void*, void*, void*, int algorithm, size_t*);
  int (*forward)(void*, const void* alpha, void*, const void*, void*, const void*, void*, int algorithm,
                 void* workspace, size_t, const void* beta, void*, void*);
};

static int find_cudnn(void* handle, const char* path, struct Cudnn* cudnn) {
  const struct {
    const char* name;
    void* pointer;
  } wanted[] = {
      {"cudnnGetErrorString", &cudnn->error_text},
      {"cudnnCreate", &cudnn->create},
      {"cudnnDestroy", &cudnn->destroy},
      {"cudnnCreateTensorDescriptor", &cudnn->create_tensor},
      {"cudnnDestroyTensorDescriptor", &cudnn->destroy_tensor},
      {"cudnnSetTensor4dDescriptor", &cudnn->set_tensor},
      {"cudnnCreateFilterDescriptor", &cudnn->create_filter},
      {"cudnnDestroyFilterDescriptor", &cudnn->destroy_filter},
      {"cudnnSetFilter4dDescriptor", &cudnn->set_filter},
      {"cudnnCreateConvolutionDescriptor", &cudnn->create_convolution},
      {"cudnnDestroyConvolutionDescriptor", &cudnn->destroy_convolution},
      {"cudnnSetConvolution2dDescriptor", &cudnn->set_convolution},
      {"cudnnGetConvolutionForwardWorkspaceSize", &cudnn->workspace_size},
      {"cudnnConvolutionForward", &cudnn->forward},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i)
    if (!find_function(handle, path, wanted[i].name, wanted[i].pointer)) return 0;
  return 1;
}

enum { channels = 3, filters = 2, size = 8, kernel = 3, output = size - kernel + 1 };
enum {
  inputs = channels * size * size,
  weights = filters * channels * kernel * kernel,
  outputs = filters * output * output
};

static void convolve_on_host(const float* in, const float* weight, float* out) {
  for (int f = 0; f < filters; ++f)
    for (int y = 0; y < output; ++y)
      for (int x = 0; x < output; ++x) {
        float sum = 0;
        for (int c = 0; c < channels; ++c)
          for (int dy = 0; dy < kernel; ++dy)
            for (int dx = 0; dx < kernel; ++dx)
              sum += in[(c * size + y + dy) * size + x + dx] * weight[((f * channels + c) * kernel + dy) * kernel + dx];
        out[(f * output + y) * output + x] = sum;
      }
}

struct Descriptors {
  void *in, *out, *filter, *convolution;
};

static int describe_convolution(const struct Cudnn* cudnn, struct Descriptors* made) {
  enum { nchw = 0, float32 = 0, cross_correlation = 1 };
  int status = cudnn->create_tensor(&made->in);
  if (status == 0) status = cudnn->set_tensor(made->in, nchw, float32, 1, channels, size, size);
  if (status == 0) status = cudnn->create_tensor(&made->out);
  if (status == 0) status = cudnn->set_tensor(made->out, nchw, float32, 1, filters, output, output);
  if (status == 0) status = cudnn->create_filter(&made->filter);
  if (status == 0) status = cudnn->set_filter(made->filter, float32, nchw, filters, channels, kernel, kernel);
  if (status == 0) status = cudnn->create_convolution(&made->convolution);
  if (status == 0) status = cudnn->set_convolution(made->convolution, 0, 0, 1, 1, 1, 1, cross_correlation, float32);
  return status;
}

static void convolve(const char* path, const struct Cudnn* cudnn, void* context, const struct Runtime* runtime) {
  enum { implicit_gemm = 0 };
  static float in[inputs], weight[weights], out[outputs], expected[outputs];
  for (int i = 0; i < inputs; ++i) in[i] = small_number(i);
  for (int i = 0; i < weights; ++i) weight[i] = small_number(i + 5);
  convolve_on_host(in, weight, expected);
  struct Descriptors made = {NULL, NULL, NULL, NULL};
  int status = describe_convolution(cudnn, &made);
  size_t workspace_bytes = 0;
  if (status == 0)
    status = cudnn->workspace_size(context, made.in, made.filter, made.convolution, made.out, implicit_gemm,
                                   &workspace_bytes);
  float* const device_in = on_device(runtime, in, inputs);
  float* const device_weight = on_device(runtime, weight, weights);
  float* const device_out = on_device(runtime, NULL, outputs);
  float* const workspace = on_device(runtime, NULL, workspace_bytes / sizeof(float) + 1);
  const float one = 1, zero = 0;
  if (device_in == NULL || device_weight == NULL || device_out == NULL || workspace == NULL) {
    record_check(path, "convolution", result_failed, "no memory on the GPU");
  } else {
    if (status == 0)
      status = cudnn->forward(context, &one, made.in, device_in, made.filter, device_weight, made.convolution,
                              implicit_gemm, workspace, workspace_bytes, &zero, made.out, device_out);
    const int error = status == 0 ? runtime->memcpy(out, device_out, sizeof out, device_to_host) : 0;
    if (status != 0)
      record_check(path, "convolution", result_failed, "%s (%d)", cudnn->error_text(status), status);
    else if (error != 0)
      record_check(path, "convolution", result_failed, "%s: %s", runtime->error_name(error),
                   runtime->error_text(error));
    else
      compare(path, "convolution", out, expected, outputs);
  }
  release(runtime, workspace);
  release(runtime, device_out);
  release(runtime, device_weight);
  release(runtime, device_in);
  if (made.convolution != NULL) cudnn->destroy_convolution(made.convolution);
  if (made.filter != NULL) cudnn->destroy_filter(made.filter);
  if (made.out != NULL) cudnn->destroy_tensor(made.out);
  if (made.in != NULL) cudnn->destroy_tensor(made.in);
}

/* cuDNN counts 8902 for 8.9.2 and, from 9 on, 91002 for 9.10.2. */
static void record_cudnn_version(const char* path, size_t version) {
  const size_t major = version >= 90000 ? version / 10000 : version / 1000;
  const size_t minor = version >= 90000 ? version / 100 % 100 : version / 100 % 10;
  record_check(path, "cuDNN version", result_ok, "%zu.%zu.%zu", major, minor, version % 100);
}

void ask_cudnn(const char* path, void* handle) {
  if (handle == NULL) return;
  size_t (*version)(void) = NULL;
  size_t (*cudart_version)(void) = NULL;
  record_step("asking %s", path);
  if (!find_function(handle, path, "cudnnGetVersion", &version) ||
      !find_function(handle, path, "cudnnGetCudartVersion", &cudart_version))
    return;
  record_cudnn_version(path, version());
  record_check(path, "built for CUDA", result_ok, "%zu.%zu", cudart_version() / 1000, cudart_version() % 1000 / 10);
  const struct Runtime* const runtime = working_runtime();
  if (runtime == NULL) {
    record_check(path, "convolution", result_not_run, "%s", no_gpu());
    return;
  }
  struct Cudnn cudnn;
  if (!find_cudnn(handle, path, &cudnn)) return;
  record_step("a convolution through %s", path);
  void* context = NULL;
  const int status = runtime->set_device(0) == 0 ? cudnn.create(&context) : -1;
  if (status != 0) {
    record_check(path, "convolution", result_failed, "cudnnCreate: %s (%d)", cudnn.error_text(status), status);
    return;
  }
  convolve(path, &cudnn, context, runtime);
  cudnn.destroy(context);
}
