#include "model.h"

#include <stdexcept>

namespace serving {

Model::Model(Device &device, const Weights &weights)
    : device(device), sizes(weights.shape), embedding(takeEmbedding(weights)), layers(takeLayers(weights)),
      finalNorm(takeNorm(weights)), output(takeLinear(weights, sizes.width, sizes.vocabulary)), attention(sizes.heads) {
}

ConstMatrix Model::take(const Weights &weights, int rows, int columns) {
  std::size_t count = std::size_t(rows) * std::size_t(columns);
  memory.emplace_back(device, count);
  float *data = memory.back().data();
  device.upload(data, weights.numbers.data() + taken, count * sizeof(float));
  taken += count;
  return {data, rows, columns};
}

Embedding Model::takeEmbedding(const Weights &weights) {
  ConstMatrix tokens = take(weights, sizes.vocabulary, sizes.width);
  return Embedding(tokens, take(weights, sizes.positions, sizes.width));
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

void Model::launch(const Launcher &launcher, const Sequences &sequences, Workspace &workspace) const {
  int rows = sequences.rows, width = sizes.width;
  Matrix state{workspace.state.data(), rows, width}, normalized{workspace.normalized.data(), rows, width};
  Matrix attended{workspace.attended.data(), rows, width};
  Matrix qkv{workspace.projected.data(), rows, 3 * width}, hidden{workspace.projected.data(), rows, sizes.hidden};
  embedding(launcher, sequences, state);
  for (const Layer &layer : layers) {
    layer.attentionNorm(launcher, state, normalized);
    layer.qkv(launcher, normalized, qkv);
    attention(launcher, sequences, qkv, attended);
    layer.projection.addTo(launcher, attended, state, state);

    layer.hiddenNorm(launcher, state, normalized);
    layer.hidden(launcher, normalized, hidden, Activation::gelu);
    layer.contraction.addTo(launcher, hidden, state, state);
  }
  // Only the last token of each sequence has a prediction that anyone asked for.
  Matrix last{normalized.data, sequences.count, width};
  Matrix probabilities{workspace.probabilities.data(), sequences.count, sizes.vocabulary};
  finalNorm.ofLast(launcher, sequences, state, last);
  output(launcher, last, probabilities);
  softmax(launcher, probabilities, probabilities);
}

ConstMatrix Model::forward(const Kernels &kernels, const Batch &batch, Workspace &workspace) const {
  try {
    Sequences sequences = workspace.upload(batch);
    launch({kernels, workspace.stream.get()}, sequences, workspace);
    const float *probabilities = workspace.download(sequences, sizes.vocabulary);
    workspace.stream.synchronize();
    return {probabilities, sequences.count, sizes.vocabulary};
  } catch (...) {
    workspace.stream.drain();
    throw;
  }
}

} // namespace serving
