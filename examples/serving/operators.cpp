#include "operators.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

namespace serving {
namespace {

std::string shape(ConstMatrix matrix) { return std::to_string(matrix.rows) + "x" + std::to_string(matrix.columns); }

void require(bool holds, const std::string &message) {
  if (!holds)
    throw ShapeError(message);
}

void requireSame(const char *what, ConstMatrix x, ConstMatrix out) {
  require(x.rows == out.rows && x.columns == out.columns,
          std::string(what) + ": the shapes " + shape(x) + " and " + shape(out) + " differ");
}

void finish(const char *what, int code) {
  if (code != 0)
    throw KernelError(std::string(what) + " did not run: " + std::strerror(code));
}

} // namespace

void Buffer::Free::operator()(float *pointer) const { std::free(pointer); }

Matrix Buffer::matrix(int rows, int columns) {
  constexpr std::size_t alignment = 64;
  std::size_t elements = std::size_t(rows) * std::size_t(columns);
  if (elements > capacity) {
    std::size_t bytes = (elements * sizeof(float) + alignment - 1) / alignment * alignment;
    memory.reset(static_cast<float *>(std::aligned_alloc(alignment, bytes)));
    capacity = memory ? elements : 0;
    if (!memory)
      throw std::bad_alloc();
  }
  return {memory.get(), rows, columns};
}

Linear::Linear(ConstMatrix weight, ConstMatrix bias) : weight(weight), bias(bias) {
  require(bias.rows == 1 && bias.columns == weight.columns,
          "linear: the weight is " + shape(weight) + " and the bias " + shape(bias));
}

void Linear::check(const ServingKernels &kernels, ConstMatrix x, ConstMatrix out) const {
  require(x.columns == weight.rows && out.columns == weight.columns && x.rows == out.rows,
          "linear: the shapes " + shape(x) + " @ " + shape(weight) + " do not give " + shape(out));
  require(weight.rows % kernels.linearMultiple == 0 && weight.columns % kernels.linearMultiple == 0,
          "linear: the sizes of the weight, " + shape(weight) + ", must be multiples of " +
              std::to_string(kernels.linearMultiple));
}

void Linear::operator()(const ServingKernels &kernels, ConstMatrix x, Matrix out, Activation activation) const {
  check(kernels, x, out);
  auto *run = activation == Activation::gelu ? kernels.linearGelu : kernels.linear;
  finish("linear", run(x.data, weight.data, bias.data, out.data, x.rows, weight.columns, weight.rows));
}

void Linear::addTo(const ServingKernels &kernels, ConstMatrix x, ConstMatrix residual, Matrix out) const {
  check(kernels, x, out);
  requireSame("linear", residual, out);
  finish("linear", kernels.linearResidual(x.data, weight.data, bias.data, residual.data, out.data, x.rows,
                                          weight.columns, weight.rows));
}

LayerNorm::LayerNorm(ConstMatrix weight, ConstMatrix bias, float epsilon)
    : weight(weight), bias(bias), epsilon(epsilon) {
  require(weight.rows == 1, "layer norm: the weight is " + shape(weight));
  requireSame("layer norm", weight, bias);
}

void LayerNorm::operator()(const ServingKernels &kernels, ConstMatrix x, Matrix out) const {
  requireSame("layer norm", x, out);
  require(x.columns == weight.columns, "layer norm: rows of " + std::to_string(x.columns) + " elements with " +
                                           std::to_string(weight.columns) + " weights");
  require(x.columns <= kernels.mostLayerNormColumns, "layer norm: the kernel takes rows of at most " +
                                                         std::to_string(kernels.mostLayerNormColumns) +
                                                         " elements, not " + std::to_string(x.columns));
  finish("layer norm", kernels.layerNorm(x.data, weight.data, bias.data, out.data, x.rows, x.columns, epsilon));
}

Attention::Attention(int heads) : heads(heads) { require(heads > 0, "attention needs heads"); }

void Attention::operator()(const ServingKernels &kernels, ConstMatrix qkv, std::span<const std::int32_t> starts,
                           Matrix out) const {
  require(out.columns == heads * kernels.headSize,
          "attention: the kernel has heads of size " + std::to_string(kernels.headSize) + ", and " +
              std::to_string(heads) + " of them do not give rows of " + std::to_string(out.columns) + " elements");
  require(qkv.rows == out.rows && qkv.columns == 3 * out.columns,
          "attention: queries, keys and values of shape " + shape(qkv) + " do not give " + shape(out));
  require(!starts.empty() && starts.front() == 0 && starts.back() == qkv.rows,
          "attention: the sequences do not cover the rows");
  std::int32_t longest = 0;
  for (std::size_t i = 1; i < starts.size(); ++i) {
    require(starts[i] > starts[i - 1], "attention: a sequence is empty");
    longest = std::max(longest, starts[i] - starts[i - 1]);
  }
  finish("attention", kernels.attention(qkv.data, out.data, starts.data(), std::int32_t(starts.size()) - 1, longest,
                                        heads, 1 / std::sqrt(float(kernels.headSize))));
}

void softmax(const ServingKernels &kernels, ConstMatrix x, Matrix out) {
  requireSame("softmax", x, out);
  require(x.columns <= kernels.mostSoftmaxColumns, "softmax: the kernel takes rows of at most " +
                                                       std::to_string(kernels.mostSoftmaxColumns) + " elements, not " +
                                                       std::to_string(x.columns));
  finish("softmax", kernels.softmax(x.data, out.data, x.rows, x.columns));
}

} // namespace serving
