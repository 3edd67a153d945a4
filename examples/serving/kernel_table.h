/* What a library of kernels gives to the server: one exported table, `servingKernels`. The server knows kernels only
   through it, so that it can load another library at any time. */
#ifndef SERVING_KERNEL_TABLE_H
#define SERVING_KERNEL_TABLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows whenever the table changes: a server refuses libraries that were made for another one. */
#define SERVING_KERNELS_VERSION 1u

/* Matrices are rows of adjacent floats at addresses that are multiples of 16. A function returns 0 or a code of
   errno.h, and has written its result when it returns. */
struct ServingKernels {
  uint32_t version;
  /* Sizes that the kernels rely on: linear layers have columns and inner sizes that are multiples of this one, ... */
  int32_t linearMultiple;
  /* ... rows of softmax and layer norm have at most as many elements, ... */
  int32_t mostSoftmaxColumns, mostLayerNormColumns;
  /* ... and each head of attention has this size. */
  int32_t headSize;

  int (*linear)(const float *x, const float *weight, const float *bias, float *out, int32_t rows, int32_t columns,
                int32_t inner);
  int (*linearGelu)(const float *x, const float *weight, const float *bias, float *out, int32_t rows, int32_t columns,
                    int32_t inner);
  int (*linearResidual)(const float *x, const float *weight, const float *bias, const float *residual, float *out,
                        int32_t rows, int32_t columns, int32_t inner);
  int (*layerNorm)(const float *x, const float *weight, const float *bias, float *out, int32_t rows, int32_t columns,
                   float epsilon);
  int (*softmax)(const float *x, float *out, int32_t rows, int32_t columns);
  int (*attention)(const float *qkv, float *out, const int32_t *starts, int32_t sequences, int32_t longest,
                   int32_t heads, float scale);
};

#ifdef __cplusplus
}
#endif
#endif
