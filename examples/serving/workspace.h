// What a forward pass needs besides weights: its input, and memory on the device.
#ifndef SERVING_WORKSPACE_H
#define SERVING_WORKSPACE_H

#include "device.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace serving {

struct ModelShape {
  std::int32_t vocabulary = 1024;
  /// Tokens of a sequence at most.
  std::int32_t positions = 128;
  std::int32_t width = 256;
  std::int32_t heads = 4;
  std::int32_t layers = 4;
  /// Width of the layers' inner product of the feed-forward part.
  std::int32_t hidden = 1024;
};

/// Sequences one behind the other; sequence i has the tokens from starts[i] to before starts[i + 1].
struct Batch {
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> starts = {0};

  void add(const std::vector<std::int32_t> &sequence);
  int sequences() const { return int(starts.size()) - 1; }
};

/// A stream, and all memory that forward passes write. It is allocated at once, so that no batch can lack any. Passes
/// at the same time need one each.
class Workspace {
  std::size_t mostSequences, mostRows; // all that follows has room for these

public:
  /// Throws DeviceError where the device has too little memory for batches of as many sequences of any length, and
  /// std::invalid_argument where kernels could not count their elements.
  Workspace(Device &device, const ModelShape &shape, int sequences);

  /// Begins to copy the batch to the device. Throws std::logic_error where it is too large.
  Sequences upload(const Batch &batch);
  /// Begins to copy the probabilities from the device; they are there when the stream has run.
  const float *download(const Sequences &sequences, std::int32_t vocabulary);

  Stream stream;
  /// A row for each token; in `probabilities` for each sequence.
  Array<float> state, normalized, projected, attended, probabilities;

private:
  Array<std::int32_t> stagedBatch, batch;
  Array<float> stagedProbabilities;
};

} // namespace serving

#endif
