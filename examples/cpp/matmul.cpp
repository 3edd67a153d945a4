// C = activation(A @ B) with the kernel of examples/kernels/matmul.py: grouped tiles, and an activation that is another
// kernel, chosen by a constant.
#include "measuring.h"

#include <triton/triton.h>

static double leakyRelu(double x) { return x >= 0 ? x : 0.01 * x; }

template <typename Result, typename Activation>
static void plainMatmul(const std::vector<float> &a, const std::vector<float> &b, std::vector<Result> &c, int m, int n,
                        int k, Activation activation) {
  std::fill(c.begin(), c.end(), Result(0));
  for (int row = 0; row < m; ++row)
    for (int inner = 0; inner < k; ++inner)
      for (int column = 0; column < n; ++column)
        c[std::size_t(row) * n + column] +=
            Result(a[std::size_t(row) * k + inner]) * b[std::size_t(inner) * n + column];
  for (Result &value : c)
    value = Result(activation(value));
}

int main(int argc, char **argv) try {
  int m = isQuick(argc, argv) ? 100 : 1024, n = isQuick(argc, argv) ? 130 : 1024, k = isQuick(argc, argv) ? 70 : 1024;
  std::vector<float> a = randomNumbers(std::size_t(m) * k, 0), b = randomNumbers(std::size_t(k) * n, 1);
  std::vector<float> c, plain(std::size_t(m) * n);
  std::vector<double> expected(std::size_t(m) * n);

  triton::Kernel matmul = triton::Module::load(KERNELS "/matmul.py").kernel("matmul_kernel");
  constexpr int blockM = 64, blockN = 64, blockK = 64;
  int programs = (m + blockM - 1) / blockM * ((n + blockN - 1) / blockN);
  for (const char *activation : {"", "leaky_relu"}) {
    c = unwritten(std::size_t(m) * n);
    auto ours = [&] {
      matmul.launch({.grid = programs}, a, b, c, m, n, k, k, 1, n, 1, n, 1, triton::constant("BLOCK_SIZE_M", blockM),
                    triton::constant("BLOCK_SIZE_N", blockN), triton::constant("BLOCK_SIZE_K", blockK),
                    triton::constant("GROUP_SIZE_M", 8), triton::constant("ACTIVATION", activation));
    };
    ours(); // compiles

    bool isActivated = *activation != '\0';
    auto activate = [&](double x) { return isActivated ? leakyRelu(x) : x; };
    plainMatmul(a, b, expected, m, n, k, activate);
    double error = largestError(c, expected);
    double plainTime = measure([&] { plainMatmul(a, b, plain, m, n, k, activate); }, 1);
    double time = measure(ours);
    std::string size = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + " f32";
    report(isActivated ? "matmul + leaky relu" : "matmul", size, time, 2.0 * m * n * k / time * 1e-6, "GFLOP/s",
           plainTime, error, 1e-5);
  }
} catch (const triton::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
