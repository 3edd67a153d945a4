#include "workspace.h"

#include <algorithm>
#include <stdexcept>
#include <string>

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

Workspace::Workspace(Device &device, const ModelShape &shape, int sequences)
    : mostSequences(std::size_t(sequences)), mostRows(rowsAtMost(shape, sequences)), stream(device),
      state(device, elements(mostRows, shape.width)), normalized(device, state.size()),
      projected(device, elements(mostRows, std::max(3 * shape.width, shape.hidden))), attended(device, state.size()),
      probabilities(device, elements(mostSequences, shape.vocabulary)),
      stagedBatch(device, mostSequences + 1 + mostRows, Memory::staging), batch(device, stagedBatch.size()),
      stagedProbabilities(device, probabilities.size(), Memory::staging) {}

Sequences Workspace::upload(const Batch &source) {
  if (source.starts.size() > mostSequences + 1 || source.tokens.size() > mostRows)
    throw std::logic_error("a batch of " + std::to_string(source.sequences()) + " sequences with " +
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

const float *Workspace::download(const Sequences &sequences, std::int32_t vocabulary) {
  stream.copyFromDevice(stagedProbabilities, probabilities, elements(std::size_t(sequences.count), vocabulary));
  return stagedProbabilities.data();
}

} // namespace serving
