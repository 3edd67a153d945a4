// A small transformer that predicts the next token of sequences: its weights, and its forward pass over the operators.
#ifndef SERVING_MODEL_H
#define SERVING_MODEL_H

#include "operators.h"
#include "workspace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace serving {

/// The numbers of a model, one tensor behind the other in the order in which the model's constructor takes them.
struct Weights {
  ModelShape shape;
  std::vector<float> numbers;

  static Weights random(std::uint64_t seed);
  /// Reads what `write` wrote. Throws std::runtime_error, which names the file and says what is wrong with it.
  static Weights read(const std::string &path);
  void write(const std::string &path) const;
};

class Model {
public:
  /// Copies the weights to the device.
  Model(Device &device, const Weights &weights);

  const ModelShape &shape() const { return sizes; }
  /// Throws std::invalid_argument, which says what is wrong, for a sequence that the model cannot take.
  void check(const std::vector<std::int32_t> &sequence) const;
  /// For each sequence the probabilities of its next token, a row in staging memory of the workspace. When it returns
  /// or throws, nothing on the device uses the kernels and the workspace any more.
  ConstMatrix forward(const Kernels &kernels, const Batch &batch, Workspace &workspace) const;

private:
  struct Layer {
    LayerNorm attentionNorm;
    Linear qkv, projection;
    LayerNorm hiddenNorm;
    Linear hidden, contraction;
  };
  /// These take the next numbers of the weights, so that the order of calls is that of the file.
  ConstMatrix take(const Weights &weights, int rows, int columns);
  LayerNorm takeNorm(const Weights &weights);
  Linear takeLinear(const Weights &weights, int inner, int columns);
  std::vector<Layer> takeLayers(const Weights &weights);
  Embedding takeEmbedding(const Weights &weights);
  /// Launches the kernels of a pass.
  void launch(const Launcher &launcher, const Sequences &sequences, Workspace &workspace) const;

  Device &device;
  ModelShape sizes;
  std::size_t taken = 0;
  /// Each tensor at an address that suits the kernels.
  std::vector<Array<float>> memory;
  // In the order of the file.
  Embedding embedding;
  std::vector<Layer> layers;
  LayerNorm finalNorm;
  Linear output;
  Attention attention;
};

} // namespace serving

#endif
