// A forward pass that a library of kernels must get right before it serves.
#ifndef SERVING_PROBE_H
#define SERVING_PROBE_H

#include "model.h"

namespace serving {

class Probe {
public:
  Probe(Device &device, const Model &model);

  /// The first library's results must be probabilities, and those of later ones the same up to rounding. Throws
  /// std::runtime_error or ShapeError otherwise.
  void operator()(const Kernels &kernels);

private:
  const Model &model;
  /// One short sequence, and many of all lengths: kernels choose their blocks by the number of rows.
  std::vector<Batch> batches;
  Workspace workspace;
  std::vector<float> expected;
};

} // namespace serving

#endif
