#include "model.h"

#include <algorithm>
#include <stdexcept>

namespace serving {

void Batch::add(const std::vector<std::int32_t> &sequence) {
  tokens.insert(tokens.end(), sequence.begin(), sequence.end());
  starts.push_back(std::int32_t(tokens.size()));
}

namespace {

/// Rows of a batch. Kernels compute the index of an element in 32 bits.
std::size_t rowsAtMost(const ModelShape &shape, int sequences) {
  std::size_t rows = std::size_t(shape.positions) * std::size_t(sequences);
  std::size_t columns = std::size_t(std::max({3 * shape.width, shape.hidden, shape.vocabulary}));
  if (rows * columns > INT32_MAX)
    throw std::invalid_argument("batches of " + std::to_string(sequences) +
                                " sequences are too large for the kernels: --batch must be smaller");
  return rows;
}

std::size_t elements(std::size_t rows, std::int32_t columns) { return rows * std::size_t(columns); }

} // namespace

Workspace::Workspace(Device &device, const ModelShape &shape, int mostSequences)
    : stream(device), mostSequences(mostSequences), mostRows(rowsAtMost(shape, mostSequences)),
      stagedBatch(device, mostRows + std::size_t(mostSequences) + 1, Memory::staging),
      batch(device, stagedBatch.size()), state(device, elements(mostRows, shape.width)),
      normalized(device, state.size()), projected(device, elements(mostRows, std::max(3 * shape.width, shape.hidden))),
      attended(device, state.size()), probabilities(device, elements(std::size_t(mostSequences), shape.vocabulary)),
      stagedProbabilities(device, probabilities.size(), Memory::staging) {}

Sequences Workspace::upload(const Batch &source) {
  if (source.sequences() > mostSequences || source.tokens.size() > mostRows)
    throw ShapeError("a batch of " + std::to_string(source.sequences()) + " sequences with " +
                     std::to_string(source.tokens.size()) + " tokens does not fit the workspace");
  // Starts and tokens behind each other are one copy.
  std::int32_t *tokens = std::copy(source.starts.begin(), source.starts.end(), stagedBatch.data());
  std::int32_t *end = std::copy(source.tokens.begin(), source.tokens.end(), tokens);
  stream.copyToDevice(batch, stagedBatch, std::size_t(end - stagedBatch.data()));
  Sequences sequences{batch.data() + source.starts.size(), batch.data(), source.sequences(),
                      std::int32_t(source.tokens.size())};
  for (std::size_t i = 1; i < source.starts.size(); ++i)
    sequences.longest = std::max(sequences.longest, source.starts[i] - source.starts[i - 1]);
  return sequences;
}

ConstMatrix Workspace::download(ConstMatrix source) {
  stream.copyFromDevice(stagedProbabilities, probabilities, elements(std::size_t(source.rows), source.columns));
  return {stagedProbabilities.data(), source.rows, source.columns};
}

Model::Model(Device &device, const Weights &weights)
    : device(device), sizes(weights.shape), embedding(takeEmbedding(weights)), layers(takeLayers(weights)),
      finalNorm(takeNorm(weights)), output(takeLinear(weights, sizes.width, sizes.vocabulary)), attention(sizes.heads) {
}

ConstMatrix Model::take(const Weights &weights, int rows, int columns) {
  std::size_t count = elements(std::size_t(rows), columns);
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

ConstMatrix Model::launch(const Launcher &launcher, const Sequences &sequences, Workspace &workspace) const {
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
  return probabilities;
}

ConstMatrix Model::forward(const Kernels &kernels, const Batch &batch, Workspace &workspace) const {
  try {
    Sequences sequences = workspace.upload(batch);
    ConstMatrix probabilities = workspace.download(launch({kernels, workspace.stream.get()}, sequences, workspace));
    workspace.stream.synchronize();
    return probabilities;
  } catch (...) {
    workspace.stream.drain();
    throw;
  }
}

} // namespace serving
