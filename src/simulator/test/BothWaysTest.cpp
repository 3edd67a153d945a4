// The fast and the plain code agree, and a difference between them is noticed.
#include "simulator/core/BothWays.h"
#include "Harness.h"

#include <cstdlib>
#include <numeric>

namespace triton::simulator {
namespace {

/// With this variable, all tests of this program run their launches both ways.
[[maybe_unused]] const bool isAsked = [] {
  const char *text = std::getenv("TRITON_SIMULATE_BOTH_WAYS");
  return runsBothWays() = text && llvm::StringRef(text) == "1";
}();

constexpr llvm::StringLiteral increment = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %before = load i32, ptr addrspace(1) %place, align 4
  %after = add i32 %before, 1
  store i32 %after, ptr addrspace(1) %place, align 4
  ret void
}
)";

void runIncrement(std::vector<uint32_t> &out, std::function<void(llvm::StringRef)> print) {
  auto program = decodeText(increment);
  ASSERT_TRUE(program);
  LaunchConfiguration configuration;
  configuration.print = std::move(print);
  launchBothWays(*program, configuration, {addressOf(out)}, {allocationOf(out, "out")});
}

TEST(BothWays, StartFromTheSameContents) {
  std::vector<uint32_t> out(32);
  std::iota(out.begin(), out.end(), 0);
  runIncrement(out, [](llvm::StringRef) {});
  for (uint32_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], i + 1);
}

TEST(BothWays, NameTheFirstByteThatDiffers) {
  std::vector<uint32_t> out(32);
  // What the fast way prints is handed over when it has ended.
  EXPECT_DEATH(runIncrement(out, [&](llvm::StringRef) { out[3] += 256; }),
               "the fast and the plain code of the simulator differ for the kernel `kernel`: byte 13 of `out`");
}

} // namespace
} // namespace triton::simulator
