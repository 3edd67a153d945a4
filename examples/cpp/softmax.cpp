// Softmax of every row of a matrix with the kernel of examples/kernels/fused_softmax.py.
#include "measuring.h"

#include <triton/triton.h>

static void plainSoftmax(const std::vector<float> &input, std::vector<float> &output, int rows, int columns) {
  for (int row = 0; row < rows; ++row) {
    const float *in = &input[std::size_t(row) * columns];
    float *out = &output[std::size_t(row) * columns];
    float largest = *std::max_element(in, in + columns), sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += out[i] = std::exp(in[i] - largest);
    for (int i = 0; i < columns; ++i)
      out[i] /= sum;
  }
}

static std::vector<double> exactSoftmax(const std::vector<float> &input, int rows, int columns) {
  std::vector<double> result(input.begin(), input.end());
  for (int row = 0; row < rows; ++row) {
    double *values = &result[std::size_t(row) * columns];
    double largest = *std::max_element(values, values + columns), sum = 0;
    for (int i = 0; i < columns; ++i)
      sum += values[i] = std::exp(values[i] - largest);
    for (int i = 0; i < columns; ++i)
      values[i] /= sum;
  }
  return result;
}

static int nextPowerOfTwo(int value) {
  int result = 1;
  while (result < value)
    result *= 2;
  return result;
}

int main(int argc, char **argv) try {
  int rows = isQuick(argc, argv) ? 64 : 4096, columns = isQuick(argc, argv) ? 781 : 2048;
  std::size_t count = std::size_t(rows) * columns;
  std::vector<float> input = randomNumbers(count, 0), output = unwritten(count), plain(count);

  triton::Kernel softmax = triton::Module::load(KERNELS "/fused_softmax.py").kernel("softmax_kernel");
  auto ours = [&] {
    softmax.launch({.grid = rows}, output, input, columns, columns, rows, columns,
                   triton::constant("BLOCK_SIZE", nextPowerOfTwo(columns)));
  };
  ours(); // compiles

  double error = largestError(output, exactSoftmax(input, rows, columns));
  double plainTime = measure([&] { plainSoftmax(input, plain, rows, columns); }, 3);
  double time = measure(ours);
  report("softmax", std::to_string(rows) + "x" + std::to_string(columns) + " f32", time, 8.0 * count / time * 1e-6,
         "GB/s", plainTime, error, 1e-5);
} catch (const triton::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
