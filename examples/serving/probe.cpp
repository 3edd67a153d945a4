#include "probe.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace serving {
namespace {

/// Libraries differ in the order of their sums; a wrong kernel differs by far more.
constexpr float tolerance = 1e-3f;

void checkProbabilities(ConstMatrix probabilities) {
  for (int row = 0; row < probabilities.rows; ++row) {
    float sum = std::accumulate(probabilities.row(row), probabilities.row(row + 1), 0.0f);
    if (!(std::abs(sum - 1) < tolerance)) // also where it is not a number
      throw std::runtime_error("its probabilities have the sum " + std::to_string(sum));
  }
}

std::vector<Batch> probes(const ModelShape &shape) {
  auto sequence = [&](int length) {
    std::vector<std::int32_t> tokens(std::size_t(length), 0);
    for (int i = 0; i < length; ++i)
      tokens[std::size_t(i)] = (i * 31 + length) % shape.vocabulary;
    return tokens;
  };
  std::vector<Batch> batches(2);
  batches[0].add(sequence(std::min(5, shape.positions)));
  for (int length = 1; length < shape.positions; length += 1 + shape.positions / 8)
    batches[1].add(sequence(length));
  batches[1].add(sequence(shape.positions));
  return batches;
}

} // namespace

Probe::Probe(Device &device, const Model &model)
    : model(model), batches(probes(model.shape())), workspace(device, model.shape(), batches.back().sequences()) {}

void Probe::operator()(const Kernels &kernels) {
  std::vector<float> results;
  for (const Batch &batch : batches) {
    ConstMatrix probabilities = model.forward(kernels, batch, workspace);
    checkProbabilities(probabilities);
    results.insert(results.end(), probabilities.data, probabilities.row(probabilities.rows));
  }
  if (expected.empty())
    expected = results;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!(std::abs(results[i] - expected[i]) < tolerance))
      throw std::runtime_error("the kernels give other results than those that the server began with: " +
                               std::to_string(results[i]) + " in place of " + std::to_string(expected[i]));
}

} // namespace serving
