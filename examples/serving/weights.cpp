// The numbers of a model: random ones, and files of them.
#include "model.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numbers>
#include <stdexcept>

namespace serving {
namespace {

constexpr char magic[8] = {'S', 'E', 'R', 'V', 'I', 'N', 'G', '1'};

/// The same normally distributed numbers on every machine, as the distributions of the standard library are not.
class Normal {
public:
  explicit Normal(std::uint64_t seed) : state(seed) {}

  float operator()(double deviation) {
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return float(deviation * radius * std::cos(2 * std::numbers::pi * uniform()));
  }

private:
  /// From 0 to below 1; the generator is splitmix64.
  double uniform() {
    std::uint64_t mixed = state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53;
  }

  std::uint64_t state;
};

std::size_t linearSize(std::size_t inner, std::size_t columns) { return inner * columns + columns; }

std::size_t numberOfWeights(const ModelShape &shape) {
  std::size_t width = std::size_t(shape.width), hidden = std::size_t(shape.hidden);
  std::size_t layer = 4 * width + linearSize(width, 3 * width) + linearSize(width, width) + linearSize(width, hidden) +
                      linearSize(hidden, width);
  return (std::size_t(shape.vocabulary) + std::size_t(shape.positions)) * width + std::size_t(shape.layers) * layer +
         2 * width + linearSize(width, std::size_t(shape.vocabulary));
}

[[noreturn]] void fail(const std::string &path, const std::string &reason) {
  throw std::runtime_error("cannot use the weights of " + path + ": " + reason);
}

void checkShape(const std::string &path, const ModelShape &shape) {
  constexpr std::int32_t most = 1 << 16;
  for (std::int32_t size : {shape.vocabulary, shape.positions, shape.width, shape.heads, shape.layers, shape.hidden})
    if (size < 1 || size > most)
      fail(path, "the size " + std::to_string(size) + " is not from 1 to " + std::to_string(most));
}

} // namespace

Weights Weights::random(std::uint64_t seed) {
  Weights weights;
  const ModelShape &shape = weights.shape;
  Normal normal(seed);
  auto add = [&](std::size_t count, double deviation, float mean = 0) {
    for (std::size_t i = 0; i < count; ++i)
      weights.numbers.push_back(mean + normal(deviation));
  };
  auto addNorm = [&] {
    add(std::size_t(shape.width), 0.1, 1);
    add(std::size_t(shape.width), 0.1);
  };
  auto addLinear = [&](int inner, int columns, double gain = 1) {
    add(std::size_t(inner) * std::size_t(columns), gain / std::sqrt(inner));
    add(std::size_t(columns), 0.1);
  };
  weights.numbers.reserve(numberOfWeights(shape));
  add(std::size_t(shape.vocabulary) * std::size_t(shape.width), 1);
  add(std::size_t(shape.positions) * std::size_t(shape.width), 0.5);
  for (int layer = 0; layer < shape.layers; ++layer) {
    addNorm();
    addLinear(shape.width, 3 * shape.width);
    addLinear(shape.width, shape.width);
    addNorm();
    addLinear(shape.width, shape.hidden);
    addLinear(shape.hidden, shape.width);
  }
  addNorm();
  // Some tokens are to be far more probable than others.
  addLinear(shape.width, shape.vocabulary, 2);
  return weights;
}

Weights Weights::read(const std::string &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file)
    fail(path, std::strerror(errno));
  auto size = std::size_t(std::max<std::streamoff>(file.tellg(), 0));
  file.seekg(0);
  Weights weights;
  char start[sizeof(magic)] = {};
  file.read(start, sizeof(start));
  file.read(reinterpret_cast<char *>(&weights.shape), sizeof(weights.shape));
  if (!file || std::memcmp(start, magic, sizeof(magic)) != 0)
    fail(path, "it is not a file that --write-weights wrote");
  checkShape(path, weights.shape);
  std::size_t expected = sizeof(magic) + sizeof(ModelShape) + numberOfWeights(weights.shape) * sizeof(float);
  if (size != expected)
    fail(path, "it has " + std::to_string(size) + " bytes, and its model " + std::to_string(expected));
  weights.numbers.resize(numberOfWeights(weights.shape));
  file.read(reinterpret_cast<char *>(weights.numbers.data()), std::streamsize(weights.numbers.size() * sizeof(float)));
  if (!file)
    fail(path, "it cannot be read");
  return weights;
}

void Weights::write(const std::string &path) const {
  std::ofstream file(path, std::ios::binary);
  file.write(magic, sizeof(magic));
  file.write(reinterpret_cast<const char *>(&shape), sizeof(shape));
  file.write(reinterpret_cast<const char *>(numbers.data()), std::streamsize(numbers.size() * sizeof(float)));
  if (!file.flush())
    throw std::runtime_error("cannot write the weights to " + path + ": " + std::strerror(errno));
}

} // namespace serving
