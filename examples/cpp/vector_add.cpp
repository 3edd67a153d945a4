// Adds two vectors with the kernel of examples/kernels/vector_add.py.
#include "measuring.h"

#include <triton/triton.h>

int main(int argc, char **argv) try {
  int n = isQuick(argc, argv) ? 100'003 : 1 << 24;
  std::vector<float> x = randomNumbers(n, 0), y = randomNumbers(n, 1), output = unwritten(n), plain(n);

  triton::Kernel add = triton::Module::load(KERNELS "/vector_add.py").kernel("add_kernel");
  constexpr int block = 1024;
  auto ours = [&] {
    add.launch({.grid = (n + block - 1) / block}, x, y, output, n, triton::constant("BLOCK_SIZE", block));
  };
  ours(); // compiles

  std::vector<double> expected(n);
  for (int i = 0; i < n; ++i)
    expected[i] = double(x[i]) + y[i];
  double error = largestError(output, expected);
  double plainTime = measure([&] {
    for (int i = 0; i < n; ++i)
      plain[i] = x[i] + y[i];
    useValues(plain);
  });
  double time = measure(ours);
  report("vector add", std::to_string(n) + " f32", time, 12.0 * n / time * 1e-6, "GB/s", plainTime, error, 1e-6);
} catch (const triton::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
