// As much of cuBLAS as the probe calls, computed on the host: the memory of fake_libcuda.c is the host's.

#include <stdlib.h>
#include <string.h>

static int misbehaves(const char* word) {
  const char* const words = getenv("FAKE_CUDA");
  return words != NULL && strstr(words, word) != NULL;
}

int cublasGetProperty(int type, int* value) {
  *value = (int[]){12, 3, 4}[type];
  return 0;
}

int cublasCreate_v2(void** handle) {
  *handle = handle;
  return misbehaves("no-cublas") ? 1 : 0;
}

int cublasDestroy_v2(void* handle) { return 0; }

int cublasSgemm_v2(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc) {
  if (transpose_a != 0 || transpose_b != 0 || lda < m || ldb < k || ldc < m) return 7;
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < m; ++row) {
      double sum = 0;
      for (int i = 0; i < k; ++i) sum += (double)a[row + i * lda] * b[i + column * ldb];
      c[row + column * ldc] = (float)(*alpha * sum + *beta * c[row + column * ldc]);
    }
  if (misbehaves("wrong-sgemm")) c[0] += 1;
  return 0;
}
