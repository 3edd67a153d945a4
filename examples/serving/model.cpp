#include "model.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace serving {

void Batch::add(const std::vector<std::int32_t> &sequence) {
  tokens.insert(tokens.end(), sequence.begin(), sequence.end());
  starts.push_back(std::int32_t(tokens.size()));
}

Model::Model(const Weights &weights)
    : sizes(weights.shape), tokens(take(weights, sizes.vocabulary, sizes.width)),
      positions(take(weights, sizes.positions, sizes.width)), layers(takeLayers(weights)), finalNorm(takeNorm(weights)),
      output(takeLinear(weights, sizes.width, sizes.vocabulary)), attention(sizes.heads) {}

ConstMatrix Model::take(const Weights &weights, int rows, int columns) {
  memory.emplace_back();
  Matrix matrix = memory.back().matrix(rows, columns);
  std::size_t count = std::size_t(rows) * std::size_t(columns);
  std::memcpy(matrix.data, weights.numbers.data() + taken, count * sizeof(float));
  taken += count;
  return matrix;
}

LayerNorm Model::takeNorm(const Weights &weights) {
  ConstMatrix weight = take(weights, 1, sizes.width);
  return LayerNorm(weight, take(weights, 1, sizes.width));
}

Linear Model::takeLinear(const Weights &weights, int inner, int columns) {
  ConstMatrix weight = take(weights, inner, columns);
  return Linear(weight, take(weights, 1, columns));
}

std::vector<Model::Layer> Model::takeLayers(const Weights &weights) {
  std::vector<Layer> taken;
  // Braces evaluate from left to right.
  for (int layer = 0; layer < sizes.layers; ++layer)
    taken.push_back(Layer{takeNorm(weights), takeLinear(weights, sizes.width, 3 * sizes.width),
                          takeLinear(weights, sizes.width, sizes.width), takeNorm(weights),
                          takeLinear(weights, sizes.width, sizes.hidden),
                          takeLinear(weights, sizes.hidden, sizes.width)});
  return taken;
}

void Model::check(const std::vector<std::int32_t> &sequence) const {
  if (sequence.empty())
    throw std::invalid_argument("the sequence has no tokens");
  if (sequence.size() > std::size_t(sizes.positions))
    throw std::invalid_argument("the sequence has " + std::to_string(sequence.size()) +
                                " tokens, and the model takes " + std::to_string(sizes.positions) + " at most");
  for (std::size_t i = 0; i < sequence.size(); ++i)
    if (sequence[i] < 0 || sequence[i] >= sizes.vocabulary)
      throw std::invalid_argument("token " + std::to_string(i) + " is " + std::to_string(sequence[i]) +
                                  ", and the model's tokens are 0 to " + std::to_string(sizes.vocabulary - 1));
}

void Model::embed(const Batch &batch, Matrix state) const {
  for (int sequence = 0; sequence < batch.sequences(); ++sequence) {
    int start = batch.starts[std::size_t(sequence)], end = batch.starts[std::size_t(sequence) + 1];
    for (int row = start; row < end; ++row) {
      const float *token = tokens.row(batch.tokens[std::size_t(row)]);
      std::transform(token, token + sizes.width, positions.row(row - start), state.row(row), std::plus<>());
    }
  }
}

ConstMatrix Model::forward(const ServingKernels &kernels, const Batch &batch, Workspace &workspace) const {
  int rows = int(batch.tokens.size()), width = sizes.width;
  Matrix state = workspace.state.matrix(rows, width), normalized = workspace.normalized.matrix(rows, width);
  Matrix attended = workspace.attended.matrix(rows, width);
  embed(batch, state);
  for (const Layer &layer : layers) {
    Matrix qkv = workspace.projected.matrix(rows, 3 * width);
    layer.attentionNorm(kernels, state, normalized);
    layer.qkv(kernels, normalized, qkv);
    attention(kernels, qkv, batch.starts, attended);
    layer.projection.addTo(kernels, attended, state, state);

    Matrix hidden = workspace.projected.matrix(rows, sizes.hidden);
    layer.hiddenNorm(kernels, state, normalized);
    layer.hidden(kernels, normalized, hidden, Activation::gelu);
    layer.contraction.addTo(kernels, hidden, state, state);
  }
  // Only the last token of each sequence has a prediction that anyone asked for.
  Matrix last = workspace.last.matrix(batch.sequences(), width);
  for (int sequence = 0; sequence < batch.sequences(); ++sequence)
    std::copy_n(state.row(batch.starts[std::size_t(sequence) + 1] - 1), width, last.row(sequence));
  Matrix lastNormalized{normalized.data, last.rows, width};
  Matrix probabilities = workspace.probabilities.matrix(batch.sequences(), sizes.vocabulary);
  finalNorm(kernels, last, lastNormalized);
  output(kernels, lastNormalized, probabilities);
  softmax(kernels, probabilities, probabilities);
  return probabilities;
}

} // namespace serving
