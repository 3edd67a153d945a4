// Adds two vectors on the GPU, in buffers of its memory. `example_vector_add_gpu sim:cuda:90` runs the code of that GPU
// in the simulator instead, on memory of the host.
#include "addition.h"

#include <triton/triton.h>

int main(int argc, char **argv) try {
  const std::string target = argc > 1 ? argv[1] : "cuda";
  const bool isSimulated = target.starts_with("sim:");
  const int n = isSimulated ? 1'000'003 : 1 << 26;
  std::vector<float> x = randomNumbers(n, 0), y = randomNumbers(n, 1), output = unwritten(n);

  triton::Kernel add = triton::Module::load(KERNELS "/vector_add.py").kernel("add_kernel");
  constexpr int block = 1024;
  auto launch = [&](const auto &...arrays) {
    add.launch({.grid = (n + block - 1) / block, .target = target}, arrays..., n,
               triton::constant("BLOCK_SIZE", block));
  };

  double time = 0;
  if (isSimulated) {
    time = measure([&] { launch(x, y, std::span(output)); }, 2);
  } else {
    const std::size_t bytes = n * sizeof(float);
    triton::DeviceBuffer deviceX(x.data(), bytes), deviceY(y.data(), bytes), deviceOutput(output.data(), bytes);
    auto floats = [](const triton::DeviceBuffer &buffer) {
      return triton::pointer(buffer.data(), triton::dtype::float32);
    };
    time = measure([&] {
      launch(floats(deviceX), floats(deviceY), floats(deviceOutput)); // returns before the kernel ends
      triton::synchronize();
    });
    deviceOutput.download(output.data(), bytes);
  }

  reportAddition(target + " add", x, y, output, time);
} catch (const triton::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
