// Typed operators over the kernels of a library: they check shapes, launch a kernel and throw if that fails.
#ifndef SERVING_OPERATORS_H
#define SERVING_OPERATORS_H

#include "kernel_table.h"

#include <cstddef>
#include <stdexcept>

namespace serving {

/// Operands whose shapes do not fit together, or that do not fit the kernels.
struct ShapeError : std::logic_error {
  using std::logic_error::logic_error;
};

/// A kernel that did not run, with the reason.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A matrix that somebody else owns, mostly on the device: rows of adjacent elements.
template <typename Element> struct View {
  Element *data = nullptr;
  int rows = 0, columns = 0;

  Element *row(int index) const { return data + std::size_t(index) * std::size_t(columns); }
  operator View<const Element>() const { return {data, rows, columns}; }
};
using Matrix = View<float>;
using ConstMatrix = View<const float>;

/// Whose kernels to launch, and on which stream.
struct Launcher {
  const Kernels &kernels;
  void *stream;
};

enum class Activation { none, gelu };

/// The row of each token plus that of its place in its sequence.
class Embedding {
public:
  Embedding(ConstMatrix tokens, ConstMatrix positions);
  /// The tokens must be rows that there are.
  void operator()(const Launcher &launcher, const Sequences &sequences, Matrix out) const;

private:
  ConstMatrix tokens, positions;
};

/// out = activation(x @ weight + bias), or x @ weight + bias + residual.
class Linear {
public:
  Linear(ConstMatrix weight, ConstMatrix bias);
  void operator()(const Launcher &launcher, ConstMatrix x, Matrix out, Activation activation = Activation::none) const;
  /// `residual` may be `out`.
  void addTo(const Launcher &launcher, ConstMatrix x, ConstMatrix residual, Matrix out) const;

private:
  void check(const Launcher &launcher, ConstMatrix x, ConstMatrix out) const;

  ConstMatrix weight, bias;
};

class LayerNorm {
public:
  LayerNorm(ConstMatrix weight, ConstMatrix bias, float epsilon = 1e-5f);
  void operator()(const Launcher &launcher, ConstMatrix x, Matrix out) const;
  /// A row for each sequence, that of its last token.
  void ofLast(const Launcher &launcher, const Sequences &sequences, ConstMatrix x, Matrix out) const;

private:
  void check(const Launcher &launcher, ConstMatrix x, ConstMatrix out) const;

  ConstMatrix weight, bias;
  float epsilon;
};

/// Causal attention inside of each sequence. A row of `qkv` has queries, keys and values of all heads.
class Attention {
public:
  explicit Attention(int heads);
  void operator()(const Launcher &launcher, const Sequences &sequences, ConstMatrix qkv, Matrix out) const;

private:
  int heads;
};

/// The softmax of each row; `out` may be `x`.
void softmax(const Launcher &launcher, ConstMatrix x, Matrix out);

} // namespace serving

#endif
