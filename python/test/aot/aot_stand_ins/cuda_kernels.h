// The kernels of examples/serving in plain C++, for the stand-in of a GPU.
#ifndef STAND_IN_CUDA_KERNELS_H
#define STAND_IN_CUDA_KERNELS_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

/// A launch of a kernel, and how its addresses are reached: all bytes at once, for a user that errors name.
struct Launch {
  std::string name;
  unsigned grid[3];
  std::vector<std::uint64_t> parameters;
  void *(*reach)(unsigned long long address, std::size_t bytes, const std::string &user);

  float *floats(int index, std::size_t count) const {
    return static_cast<float *>(reach(parameters[std::size_t(index)], count * sizeof(float), name));
  }
  std::int32_t *integers(int index, std::size_t count) const {
    return static_cast<std::int32_t *>(reach(parameters[std::size_t(index)], count * sizeof(std::int32_t), name));
  }
  int integer(int index) const { return int(std::int32_t(parameters[std::size_t(index)])); }
  float number(int index) const {
    float value;
    std::memcpy(&value, &parameters[std::size_t(index)], sizeof(value));
    return value;
  }
  bool has(unsigned x, unsigned y, unsigned z) const { return grid[0] == x && grid[1] == y && grid[2] == z; }
};

inline std::size_t product(int rows, int columns) { return std::size_t(rows) * std::size_t(columns); }

inline bool runEmbed(const Launch &launch) {
  int sequences = launch.integer(5), longest = launch.integer(6), columns = launch.integer(7);
  const std::int32_t *starts = launch.integers(1, std::size_t(sequences) + 1);
  const std::int32_t *tokens = launch.integers(0, std::size_t(starts[sequences]));
  float *out = launch.floats(4, product(starts[sequences], columns));
  const float *places = launch.floats(3, product(longest, columns));
  for (int sequence = 0; sequence < sequences; ++sequence)
    for (int row = starts[sequence]; row < starts[sequence + 1]; ++row) {
      const float *token = launch.floats(2, product(tokens[row] + 1, columns)) + product(tokens[row], columns);
      for (int column = 0; column < columns; ++column)
        out[product(row, columns) + std::size_t(column)] =
            token[column] + places[product(row - starts[sequence], columns) + std::size_t(column)];
    }
  return launch.has(unsigned(longest), unsigned(sequences), 1);
}

/// Parameters do not tell the activation. Test models have it in the layers of GELU_COLUMNS columns.
inline bool runLinear(const Launch &launch) {
  int hasResidual = launch.parameters.size() == 8;
  int rows = launch.integer(4 + hasResidual), columns = launch.integer(5 + hasResidual),
      inner = launch.integer(6 + hasResidual);
  const float *x = launch.floats(0, product(rows, inner)), *weight = launch.floats(1, product(inner, columns));
  const float *bias = launch.floats(2, std::size_t(columns));
  const float *residual = hasResidual ? launch.floats(3, product(rows, columns)) : nullptr;
  float *out = launch.floats(3 + hasResidual, product(rows, columns));
  std::vector<float> total;
  for (int row = 0; row < rows; ++row) {
    total.assign(bias, bias + columns);
    for (int depth = 0; depth < inner; ++depth)
      for (int column = 0; column < columns; ++column)
        total[std::size_t(column)] +=
            x[product(row, inner) + std::size_t(depth)] * weight[product(depth, columns) + std::size_t(column)];
    for (std::size_t column = 0; column < total.size(); ++column) {
      float value = total[column];
      if (columns == GELU_COLUMNS)
        value *= 0.5f * (1 + std::tanh(0.7978845608028654f * (value + 0.044715f * value * value * value)));
      std::size_t position = product(row, columns) + column;
      out[position] = value + (hasResidual ? residual[position] : 0);
    }
  }
  return launch.grid[0] > 0 && launch.grid[1] == 1 && launch.grid[2] == 1;
}

inline bool runLayerNorm(const Launch &launch) {
  int hasStarts = launch.parameters.size() == 8;
  int rows = launch.integer(4 + hasStarts), columns = launch.integer(5 + hasStarts);
  float epsilon = launch.number(6 + hasStarts);
  const std::int32_t *starts = hasStarts ? launch.integers(1, std::size_t(rows) + 1) : nullptr;
  const float *x = launch.floats(0, product(hasStarts ? starts[rows] : rows, columns));
  const float *weight = launch.floats(1 + hasStarts, std::size_t(columns));
  const float *bias = launch.floats(2 + hasStarts, std::size_t(columns));
  float *out = launch.floats(3 + hasStarts, product(rows, columns));
  for (int row = 0; row < rows; ++row) {
    const float *source = x + product(hasStarts ? starts[row + 1] - 1 : row, columns);
    double mean = 0, variance = 0;
    for (int column = 0; column < columns; ++column)
      mean += source[column] / double(columns);
    for (int column = 0; column < columns; ++column)
      variance += (source[column] - mean) * (source[column] - mean) / columns;
    for (int column = 0; column < columns; ++column)
      out[product(row, columns) + std::size_t(column)] =
          float((source[column] - mean) / std::sqrt(variance + double(epsilon))) * weight[column] + bias[column];
  }
  return launch.has(unsigned(rows), 1, 1);
}

inline void softmax(float *values, int count) {
  float largest = *std::max_element(values, values + count), sum = 0;
  for (int i = 0; i < count; ++i)
    sum += values[i] = std::exp(values[i] - largest);
  for (int i = 0; i < count; ++i)
    values[i] /= sum;
}

inline bool runSoftmax(const Launch &launch) {
  int rows = launch.integer(4), columns = launch.integer(5);
  const float *x = launch.floats(1, product(rows, columns));
  float *out = launch.floats(0, product(rows, columns));
  std::memmove(out, x, product(rows, columns) * sizeof(float));
  for (int row = 0; row < rows; ++row)
    softmax(out + product(row, columns), columns);
  return launch.has(unsigned(rows), 1, 1) && launch.integer(2) == columns && launch.integer(3) == columns;
}

inline bool runAttention(const Launch &launch) {
  constexpr int size = 64;
  int sequences = launch.integer(3), longest = launch.integer(4), heads = launch.integer(5), width = heads * size;
  float scale = launch.number(6);
  const std::int32_t *starts = launch.integers(2, std::size_t(sequences) + 1);
  const float *qkv = launch.floats(0, product(starts[sequences], 3 * width));
  float *out = launch.floats(1, product(starts[sequences], width));
  auto part = [&](int row, int which, int head) { return qkv + product(row, 3 * width) + which * width + head * size; };
  int found = 0;
  for (int sequence = 0; sequence < sequences; ++sequence) {
    found = std::max(found, starts[sequence + 1] - starts[sequence]);
    for (int row = starts[sequence]; row < starts[sequence + 1]; ++row)
      for (int head = 0; head < heads; ++head) {
        std::vector<float> weights;
        for (int key = starts[sequence]; key <= row; ++key) {
          weights.push_back(0);
          for (int i = 0; i < size; ++i)
            weights.back() += part(row, 0, head)[i] * scale * part(key, 1, head)[i];
        }
        softmax(weights.data(), int(weights.size()));
        float *target = out + product(row, width) + head * size;
        std::fill_n(target, size, 0.0f);
        for (std::size_t key = 0; key < weights.size(); ++key)
          for (int i = 0; i < size; ++i)
            target[i] += weights[key] * part(starts[sequence] + int(key), 2, head)[i];
      }
  }
  return found == longest && launch.grid[0] > 0 && launch.grid[1] == unsigned(heads) &&
         launch.grid[2] == unsigned(sequences);
}

/// False where the kernel is none of these, or is launched wrongly.
inline bool runKernel(const Launch &launch) {
  auto is = [&](const char *name, std::size_t least, std::size_t most) {
    return launch.name == name && launch.parameters.size() >= least && launch.parameters.size() <= most;
  };
  return is("embed", 8, 8)            ? runEmbed(launch)
         : is("linear", 7, 8)         ? runLinear(launch)
         : is("layer_norm", 7, 8)     ? runLayerNorm(launch)
         : is("softmax_kernel", 6, 6) ? runSoftmax(launch)
         : is("attention", 7, 7)      ? runAttention(launch)
                                      : false;
}

#endif
