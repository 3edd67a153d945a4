#include "operators.h"

#include <cmath>
#include <string>

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

void finish(const char *what, const char *problem) {
  if (problem != nullptr)
    throw KernelError(std::string(what) + " did not run: " + problem);
}

void requireColumns(const char *what, ConstMatrix x, int most) {
  require(x.columns <= most, std::string(what) + ": the kernel takes rows of at most " + std::to_string(most) +
                                 " elements, not " + std::to_string(x.columns));
}

void requireRows(const char *what, ConstMatrix x, int rows) {
  require(x.rows == rows,
          std::string(what) + ": the batch needs " + std::to_string(rows) + " rows, and the matrix is " + shape(x));
}

} // namespace

Embedding::Embedding(ConstMatrix tokens, ConstMatrix positions) : tokens(tokens), positions(positions) {
  require(tokens.columns == positions.columns,
          "embedding: the shapes " + shape(tokens) + " and " + shape(positions) + " do not fit together");
}

void Embedding::operator()(const Launcher &launcher, const Sequences &sequences, Matrix out) const {
  requireRows("embedding", out, sequences.rows);
  require(out.columns == tokens.columns,
          "embedding: rows of " + std::to_string(tokens.columns) + " elements do not give " + shape(out));
  requireColumns("embedding", out, launcher.kernels.limits().mostEmbeddingColumns);
  finish("embedding",
         launcher.kernels.embed(launcher.stream, sequences, tokens.data, positions.data, out.data, out.columns));
}

Linear::Linear(ConstMatrix weight, ConstMatrix bias) : weight(weight), bias(bias) {
  require(bias.rows == 1 && bias.columns == weight.columns,
          "linear: the weight is " + shape(weight) + " and the bias " + shape(bias));
}

void Linear::check(const Launcher &launcher, ConstMatrix x, ConstMatrix out) const {
  require(x.columns == weight.rows && out.columns == weight.columns && x.rows == out.rows,
          "linear: the shapes " + shape(x) + " @ " + shape(weight) + " do not give " + shape(out));
  int multiple = launcher.kernels.limits().linearMultiple;
  require(weight.rows % multiple == 0 && weight.columns % multiple == 0,
          "linear: the sizes of the weight, " + shape(weight) + ", must be multiples of " + std::to_string(multiple));
}

void Linear::operator()(const Launcher &launcher, ConstMatrix x, Matrix out, Activation activation) const {
  check(launcher, x, out);
  const Kernels &kernels = launcher.kernels;
  finish("linear", activation == Activation::gelu
                       ? kernels.linearGelu(launcher.stream, x.data, weight.data, bias.data, out.data, x.rows,
                                            weight.columns, weight.rows)
                       : kernels.linear(launcher.stream, x.data, weight.data, bias.data, nullptr, out.data, x.rows,
                                        weight.columns, weight.rows));
}

void Linear::addTo(const Launcher &launcher, ConstMatrix x, ConstMatrix residual, Matrix out) const {
  check(launcher, x, out);
  requireSame("linear", residual, out);
  finish("linear", launcher.kernels.linear(launcher.stream, x.data, weight.data, bias.data, residual.data, out.data,
                                           x.rows, weight.columns, weight.rows));
}

LayerNorm::LayerNorm(ConstMatrix weight, ConstMatrix bias, float epsilon)
    : weight(weight), bias(bias), epsilon(epsilon) {
  require(weight.rows == 1, "layer norm: the weight is " + shape(weight));
  requireSame("layer norm", weight, bias);
}

void LayerNorm::check(const Launcher &launcher, ConstMatrix x, ConstMatrix out) const {
  require(x.columns == weight.columns && out.columns == weight.columns,
          "layer norm: " + std::to_string(weight.columns) + " weights with the shapes " + shape(x) + " and " +
              shape(out));
  requireColumns("layer norm", x, launcher.kernels.limits().mostLayerNormColumns);
}

void LayerNorm::operator()(const Launcher &launcher, ConstMatrix x, Matrix out) const {
  check(launcher, x, out);
  requireSame("layer norm", x, out);
  finish("layer norm", launcher.kernels.layerNorm(launcher.stream, x.data, weight.data, bias.data, out.data, x.rows,
                                                  x.columns, epsilon));
}

void LayerNorm::ofLast(const Launcher &launcher, const Sequences &sequences, ConstMatrix x, Matrix out) const {
  check(launcher, x, out);
  requireRows("layer norm", x, sequences.rows);
  requireRows("layer norm", out, sequences.count);
  finish("layer norm", launcher.kernels.lastLayerNorm(launcher.stream, sequences, x.data, weight.data, bias.data,
                                                      out.data, x.columns, epsilon));
}

Attention::Attention(int heads) : heads(heads) { require(heads > 0, "attention needs heads"); }

void Attention::operator()(const Launcher &launcher, const Sequences &sequences, ConstMatrix qkv, Matrix out) const {
  int headSize = launcher.kernels.limits().headSize;
  require(out.columns == heads * headSize, "attention: the kernel has heads of size " + std::to_string(headSize) +
                                               ", and " + std::to_string(heads) + " of them do not give rows of " +
                                               std::to_string(out.columns) + " elements");
  requireRows("attention", qkv, sequences.rows);
  require(qkv.rows == out.rows && qkv.columns == 3 * out.columns,
          "attention: queries, keys and values of shape " + shape(qkv) + " do not give " + shape(out));
  finish("attention", launcher.kernels.attention(launcher.stream, sequences, qkv.data, out.data, heads,
                                                 1 / std::sqrt(float(headSize))));
}

void softmax(const Launcher &launcher, ConstMatrix x, Matrix out) {
  requireSame("softmax", x, out);
  requireColumns("softmax", x, launcher.kernels.limits().mostSoftmaxColumns);
  finish("softmax", launcher.kernels.softmax(launcher.stream, x.data, out.data, x.rows, x.columns));
}

} // namespace serving
