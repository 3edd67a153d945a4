// A long launch ends when its interrupt check asks for that.
#include "Harness.h"

#include <chrono>
#include <thread>

namespace triton::simulator {
namespace {

constexpr llvm::StringLiteral prologue = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
entry:
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %p
  br label %loop
)";

/// Gives the launch up at the third question.
void expectToEnd(llvm::StringRef body, unsigned programs, unsigned hostThreads) {
  auto program = decodeText((prologue + body).str());
  ASSERT_TRUE(program);
  std::vector<uint32_t> out(programs);
  LaunchConfiguration configuration;
  configuration.grid = {programs, 1, 1};
  configuration.hostThreads = hostThreads;
  unsigned questions = 0;
  auto launching = std::this_thread::get_id();
  std::chrono::steady_clock::time_point said;
  configuration.interrupted = [&] {
    EXPECT_EQ(std::this_thread::get_id(), launching);
    said = std::chrono::steady_clock::now();
    return ++questions == 3;
  };
  LaunchResult result = launch(*program, configuration, {addressOf(out)}, {allocationOf(out, "out")});
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(questions, 3u);
  EXPECT_TRUE(result.findings.empty()) << result.findings.front().str();
  EXPECT_LT(std::chrono::steady_clock::now() - said,
            std::chrono::minutes(1)); // The kernels never end: for busy machines.
}

/// The kernel never stops changing memory, so no other rule ends the launch.
constexpr llvm::StringLiteral counting = R"(
loop:
  %v = load i32, ptr addrspace(1) %mine, align 4
  %next = add i32 %v, 1
  store i32 %next, ptr addrspace(1) %mine, align 4
  br label %loop
}
)";

constexpr llvm::StringLiteral meeting = R"(
loop:
  %v = load i32, ptr addrspace(1) %mine, align 4
  %next = add i32 %v, 1
  store i32 %next, ptr addrspace(1) %mine, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %loop
}
)";

TEST(Interrupt, EndsAProgramThatRunsForEver) {
  for (unsigned hostThreads : {1u, 3u}) {
    expectToEnd(counting, 1, hostThreads);
    expectToEnd(counting, 16, hostThreads);
  }
}

TEST(Interrupt, EndsALoopOfBarriers) { expectToEnd(meeting, 2, 2); }

TEST(Interrupt, LeavesALaunchAloneThatEnds) {
  auto program =
      decodeText((prologue + "loop:\n  store i32 7, ptr addrspace(1) %mine, align 4\n  ret void\n}\n").str());
  ASSERT_TRUE(program);
  std::vector<uint32_t> out(100);
  LaunchConfiguration configuration;
  configuration.grid = {100, 1, 1};
  configuration.threads = 1;
  configuration.interrupted = [] { return false; };
  LaunchResult result = launch(*program, configuration, {addressOf(out)}, {allocationOf(out, "out")});
  EXPECT_FALSE(result.interrupted);
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(out, std::vector<uint32_t>(100, 7));
}

} // namespace
} // namespace triton::simulator
