/* The table of the kernels that `tritonc compile --emit=c` wrote and `tritonc link` gave plain names. */
#include "kernel_table.h"

#include "kernels.h"

/* The generated functions take addresses as `void *`, whether the kernel writes there or not. */
static void *address(const void *pointer) { return (void *)(uintptr_t)pointer; }

/* Blocks of many rows reuse more of what they load; blocks of few rows compute less that nobody wants. */
enum { mostFewRows = 32 };

#define LINEAR(KERNEL, ...)                                                                                            \
  (rows <= mostFewRows ? KERNEL##_few_default(0, __VA_ARGS__, rows, columns, inner)                                    \
                       : KERNEL##_many_default(0, __VA_ARGS__, rows, columns, inner))

static int runLinear(const float *x, const float *weight, const float *bias, float *out, int32_t rows, int32_t columns,
                     int32_t inner) {
  return LINEAR(linear, address(x), address(weight), address(bias), out);
}

static int runLinearGelu(const float *x, const float *weight, const float *bias, float *out, int32_t rows,
                         int32_t columns, int32_t inner) {
  return LINEAR(linear_gelu, address(x), address(weight), address(bias), out);
}

static int runLinearResidual(const float *x, const float *weight, const float *bias, const float *residual, float *out,
                             int32_t rows, int32_t columns, int32_t inner) {
  return LINEAR(linear_residual, address(x), address(weight), address(bias), address(residual), out);
}

static int runLayerNorm(const float *x, const float *weight, const float *bias, float *out, int32_t rows,
                        int32_t columns, float epsilon) {
  return layer_norm_default(0, address(x), address(weight), address(bias), out, rows, columns, (double)epsilon);
}

static int runSoftmax(const float *x, float *out, int32_t rows, int32_t columns) {
  return softmax_default(0, out, address(x), columns, columns, rows, columns);
}

static int runAttention(const float *qkv, float *out, const int32_t *starts, int32_t sequences, int32_t longest,
                        int32_t heads, float scale) {
  return attention_default(0, address(qkv), out, address(starts), sequences, longest, heads, (double)scale);
}

__attribute__((visibility("default"))) const struct ServingKernels servingKernels = {
    .version = SERVING_KERNELS_VERSION,
    .linearMultiple = LINEAR_MULTIPLE,
    .mostSoftmaxColumns = SOFTMAX_COLUMNS,
    .mostLayerNormColumns = LAYER_NORM_COLUMNS,
    .headSize = HEAD_SIZE,
    .linear = runLinear,
    .linearGelu = runLinearGelu,
    .linearResidual = runLinearResidual,
    .layerNorm = runLayerNorm,
    .softmax = runSoftmax,
    .attention = runAttention,
};
