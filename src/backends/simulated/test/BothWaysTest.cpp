// The variable by which all launches of a process run by the fast and by the plain code of the simulator.
#include "simulator/core/BothWays.h"
#include "compiler/KernelMetadata.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace triton {
namespace {

constexpr char nothing[] = R"(
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @nothing() {
  ret void
}

; warps, warps that a launch starts, bytes of shared memory, maps, messages
!triton.launch = !{!0}
!0 = !{i64 1, i64 1, i64 0, i64 0, i64 0}
)";

bool runsBothWaysWith(const char *value) {
  simulator::runsBothWays() = false;
  setenv("TRITON_SIMULATE_BOTH_WAYS", value, /*overwrite=*/true);
  compiler::CompileRequest request;
  request.irText = nothing;
  request.irStage = "llir";
  request.irPath = "nothing.llir";
  request.target = {"sim:cuda", "90", 32};
  EXPECT_TRUE(compiler::compile(request)->loaded);
  unsetenv("TRITON_SIMULATE_BOTH_WAYS");
  return simulator::runsBothWays().exchange(false);
}

TEST(SimulatedBothWays, IsAskedForByAVariable) {
  EXPECT_FALSE(runsBothWaysWith("0"));
  EXPECT_TRUE(runsBothWaysWith("1"));
}

} // namespace
} // namespace triton
