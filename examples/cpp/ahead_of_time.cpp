// Adds two vectors with the kernel of examples/kernels/vector_add.py, which was compiled when this program was built:
// it needs neither that file nor libtriton.so.
#include "addition.h"

#include "vector_sum.h"

int main(int argc, char **argv) try {
  int n = isQuick(argc, argv) ? 100'003 : 1 << 24;
  std::vector<float> x = randomNumbers(n, 0), y = randomNumbers(n, 1), output = unwritten(n);
  const example::VectorSumOperator add(triton_aot::Device::cpu());
  double milliseconds = measure([&] { add(nullptr, x.data(), y.data(), output.data(), n); });
  reportAddition("ahead of time", x, y, output, milliseconds);
} catch (const triton_aot::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
