// As much of cuDNN as the probe calls, computed on the host: the memory of fake_libcuda.c is the host's.

#include <stdlib.h>
#include <string.h>

struct Descriptor {
  int numbers[4];
  int mode;
};

static int misbehaves(const char* word) {
  const char* const words = getenv("FAKE_CUDA");
  return words != NULL && strstr(words, word) != NULL;
}

static int make(void** descriptor) {
  *descriptor = calloc(1, sizeof(struct Descriptor));
  return 0;
}

static int take_apart(void* descriptor) {
  free(descriptor);
  return 0;
}

size_t cudnnGetVersion(void) { return misbehaves("cudnn-8") ? 8906 : 91002; }
size_t cudnnGetCudartVersion(void) { return 12090; }
const char* cudnnGetErrorString(int status) {
  return status == 1 ? "CUDNN_STATUS_NOT_INITIALIZED" : "CUDNN_STATUS_BAD_PARAM";
}
int cudnnCreate(void** handle) { return misbehaves("no-cudnn") ? 1 : make(handle); }
int cudnnDestroy(void* handle) { return take_apart(handle); }
int cudnnCreateTensorDescriptor(void** made) { return make(made); }
int cudnnDestroyTensorDescriptor(void* made) { return take_apart(made); }
int cudnnCreateFilterDescriptor(void** made) { return make(made); }
int cudnnDestroyFilterDescriptor(void* made) { return take_apart(made); }
int cudnnCreateConvolutionDescriptor(void** made) { return make(made); }
int cudnnDestroyConvolutionDescriptor(void* made) { return take_apart(made); }

static int set(struct Descriptor* made, int a, int b, int c, int d) {
  const int numbers[4] = {a, b, c, d};
  memcpy(made->numbers, numbers, sizeof numbers);
  return 0;
}

int cudnnSetTensor4dDescriptor(struct Descriptor* made, int format, int type, int n, int c, int h, int w) {
  return format != 0 || type != 0 ? 3 : set(made, n, c, h, w);
}

int cudnnSetFilter4dDescriptor(struct Descriptor* made, int type, int format, int k, int c, int h, int w) {
  return format != 0 || type != 0 ? 3 : set(made, k, c, h, w);
}

int cudnnSetConvolution2dDescriptor(struct Descriptor* made, int pad_h, int pad_w, int stride_h, int stride_w,
                                    int dilation_h, int dilation_w, int mode, int type) {
  made->mode = mode;
  return pad_h != 0 || pad_w != 0 || stride_h != 1 || stride_w != 1 || dilation_h != 1 || dilation_w != 1 || type != 0
             ? 3
             : 0;
}

int cudnnGetConvolutionForwardWorkspaceSize(void* handle, const struct Descriptor* x, const struct Descriptor* w,
                                            const struct Descriptor* convolution, const struct Descriptor* y,
                                            int algorithm, size_t* size) {
  *size = 100;
  return algorithm != 0 ? 3 : 0;
}

int cudnnConvolutionForward(void* handle, const float* alpha, const struct Descriptor* x, const float* in,
                            const struct Descriptor* w, const float* weight, const struct Descriptor* convolution,
                            int algorithm, char* workspace, size_t size, const float* beta, const struct Descriptor* y,
                            float* out) {
  if (convolution->mode != 1 || y->numbers[2] != x->numbers[2] - w->numbers[2] + 1 || y->numbers[1] != w->numbers[0])
    return 3;
  memset(workspace, 0, size);
  const int height = x->numbers[2], width = x->numbers[3], kernel = w->numbers[2];
  for (int f = 0; f < y->numbers[1]; ++f)
    for (int row = 0; row < y->numbers[2]; ++row)
      for (int column = 0; column < y->numbers[3]; ++column) {
        double sum = 0;
        for (int c = 0; c < x->numbers[1]; ++c)
          for (int i = 0; i < kernel * kernel; ++i)
            sum += (double)in[(c * height + row + i / kernel) * width + column + i % kernel] *
                   weight[(f * x->numbers[1] + c) * kernel * kernel + i];
        *out++ = (float)(*alpha * sum);
      }
  if (misbehaves("wrong-convolution")) out[-1] += 1;
  return 0;
}
