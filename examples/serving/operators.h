// Typed operators over the kernels of a library: they check shapes, call a kernel and throw if it fails.
#ifndef SERVING_OPERATORS_H
#define SERVING_OPERATORS_H

#include "kernel_table.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace serving {

/// Operands whose shapes do not fit together, or that do not fit the kernels.
struct ShapeError : std::logic_error {
  using std::logic_error::logic_error;
};

/// A kernel that did not run, with the reason.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A matrix that somebody else owns: rows of adjacent elements.
template <typename Element> struct View {
  Element *data = nullptr;
  int rows = 0, columns = 0;

  Element *row(int index) const { return data + std::size_t(index) * std::size_t(columns); }
  operator View<const Element>() const { return {data, rows, columns}; }
};
using Matrix = View<float>;
using ConstMatrix = View<const float>;

/// Memory at an address that is a multiple of 64, which only grows.
class Buffer {
public:
  /// A matrix in this memory. Its elements are not defined, and earlier matrices in it no longer exist.
  Matrix matrix(int rows, int columns);

private:
  struct Free {
    void operator()(float *pointer) const;
  };
  std::unique_ptr<float, Free> memory;
  std::size_t capacity = 0;
};

enum class Activation { none, gelu };

/// out = activation(x @ weight + bias), or x @ weight + bias + residual.
class Linear {
public:
  Linear(ConstMatrix weight, ConstMatrix bias);
  void operator()(const ServingKernels &kernels, ConstMatrix x, Matrix out,
                  Activation activation = Activation::none) const;
  /// `residual` may be `out`.
  void addTo(const ServingKernels &kernels, ConstMatrix x, ConstMatrix residual, Matrix out) const;

private:
  void check(const ServingKernels &kernels, ConstMatrix x, ConstMatrix out) const;

  ConstMatrix weight, bias;
};

class LayerNorm {
public:
  LayerNorm(ConstMatrix weight, ConstMatrix bias, float epsilon = 1e-5f);
  void operator()(const ServingKernels &kernels, ConstMatrix x, Matrix out) const;

private:
  ConstMatrix weight, bias;
  float epsilon;
};

/// Causal attention inside of each sequence. A row of `qkv` has queries, keys and values of all heads.
class Attention {
public:
  explicit Attention(int heads);
  /// Sequence i has the rows from starts[i] to before starts[i + 1].
  void operator()(const ServingKernels &kernels, ConstMatrix qkv, std::span<const std::int32_t> starts,
                  Matrix out) const;

private:
  int heads;
};

/// The softmax of each row; `out` may be `x`.
void softmax(const ServingKernels &kernels, ConstMatrix x, Matrix out);

} // namespace serving

#endif
