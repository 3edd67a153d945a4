// What a library of kernels gives to the server: a version, and a function that opens its table of kernels for a
// device. The server knows kernels only through this table, so that it can load another library at any time.
#ifndef SERVING_KERNEL_TABLE_H
#define SERVING_KERNEL_TABLE_H

#include <cstddef>
#include <cstdint>

namespace serving {

/// Grows whenever this file changes: a server refuses libraries that were made for another one.
constexpr std::uint32_t kernelsVersion = 2;

/// The CPU, or a GPU by its index.
struct DeviceId {
  bool isCuda = false;
  int index = 0;
};

/// The tokens of a batch on the device; sequence i has those from starts[i] to before starts[i + 1], and as many rows
/// in each matrix.
struct Sequences {
  const std::int32_t *tokens = nullptr, *starts = nullptr;
  std::int32_t count = 0, rows = 0, longest = 0;
};

/// Sizes that kernels rely on.
struct KernelLimits {
  /// Linear layers have columns and inner sizes that are multiples of this one.
  std::int32_t linearMultiple = 0;
  /// Rows have at most as many elements.
  std::int32_t mostSoftmaxColumns = 0, mostLayerNormColumns = 0, mostEmbeddingColumns = 0;
  /// Each head of attention has this size.
  std::int32_t headSize = 0;
};

/// Kernels on one device. Matrices are rows of adjacent floats at addresses of the device that are multiples of 16.
/// A function launches its kernel on a stream, and on the CPU runs it. It returns null, or the reason why it could not,
/// a text that the thread's next call overwrites: no exception leaves a library, which may be unloaded before anyone
/// reads it. Several threads may call the functions.
class Kernels {
public:
  virtual ~Kernels() = default;
  virtual const KernelLimits &limits() const noexcept = 0;
  /// What the code was compiled for, such as "cuda:90".
  virtual const char *target() const noexcept = 0;

  /// For each token its row of `tokens` plus the row of `positions` of its place in its sequence.
  virtual const char *embed(void *stream, const Sequences &sequences, const float *tokens, const float *positions,
                            float *out, std::int32_t columns) const noexcept = 0;
  /// `residual` may be null.
  virtual const char *linear(void *stream, const float *x, const float *weight, const float *bias,
                             const float *residual, float *out, std::int32_t rows, std::int32_t columns,
                             std::int32_t inner) const noexcept = 0;
  virtual const char *linearGelu(void *stream, const float *x, const float *weight, const float *bias, float *out,
                                 std::int32_t rows, std::int32_t columns, std::int32_t inner) const noexcept = 0;
  virtual const char *layerNorm(void *stream, const float *x, const float *weight, const float *bias, float *out,
                                std::int32_t rows, std::int32_t columns, float epsilon) const noexcept = 0;
  /// Only of the last row of each sequence.
  virtual const char *lastLayerNorm(void *stream, const Sequences &sequences, const float *x, const float *weight,
                                    const float *bias, float *out, std::int32_t columns,
                                    float epsilon) const noexcept = 0;
  virtual const char *softmax(void *stream, const float *x, float *out, std::int32_t rows,
                              std::int32_t columns) const noexcept = 0;
  virtual const char *attention(void *stream, const Sequences &sequences, const float *qkv, float *out,
                                std::int32_t heads, float scale) const noexcept = 0;
};

} // namespace serving

extern "C" {
/// What a library exports. The second one returns null, and writes the reason, if no code of the library runs on the
/// device; the caller deletes the kernels before it unloads the library.
extern const std::uint32_t servingKernelsVersion;
serving::Kernels *servingOpenKernels(const serving::DeviceId *device, char *reason, std::size_t size);
}

#endif
