// Adds two vectors with the kernel of examples/kernels/vector_add.py.
#include "addition.h"

#include <triton/triton.h>

int main(int argc, char **argv) try {
  int n = isQuick(argc, argv) ? 100'003 : 1 << 24;
  std::vector<float> x = randomNumbers(n, 0), y = randomNumbers(n, 1), output = unwritten(n);

  triton::Kernel add = triton::Module::load(KERNELS "/vector_add.py").kernel("add_kernel");
  constexpr int block = 1024;
  auto ours = [&] {
    add.launch({.grid = (n + block - 1) / block}, x, y, output, n, triton::constant("BLOCK_SIZE", block));
  };
  ours(); // compiles

  reportAddition("vector add", x, y, output, measure(ours));
} catch (const triton::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
