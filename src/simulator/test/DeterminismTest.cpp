// Two runs of one launch give the same results, findings and output, however the host schedules its threads.
#include "Harness.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace triton::simulator {
namespace {

constexpr llvm::StringLiteral prologue = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @vprintf(ptr, ptr)
@format = internal addrspace(1) constant [23 x i8] c"program %d lane %2u%%\0A\00"
)";

struct Outcome {
  std::vector<std::string> findings;
  std::string printed;
  std::vector<uint32_t> out;
  bool operator==(const Outcome &) const = default;
};

Outcome runOnce(const Program &program, unsigned programs, unsigned hostThreads, std::size_t size) {
  Outcome outcome;
  outcome.out.assign(size, 7);
  LaunchConfiguration configuration;
  configuration.grid = {programs, 1, 1};
  configuration.threads = 64;
  configuration.hostThreads = hostThreads;
  configuration.print = [&](llvm::StringRef text) { outcome.printed = text.str(); };
  LaunchResult result = launch(program, configuration, {addressOf(outcome.out)}, {allocationOf(outcome.out, "out")});
  for (const Finding &finding : result.findings)
    outcome.findings.push_back(finding.str());
  return outcome;
}

/// Runs the kernel a few times on several host threads and once on one.
Outcome expectSameEachTime(llvm::StringRef body, unsigned programs, std::size_t size) {
  auto program = decodeText((prologue + body).str());
  EXPECT_TRUE(program);
  if (!program)
    return {};
  Outcome first = runOnce(*program, programs, 1, size);
  for (unsigned round = 0; round < 8; ++round)
    EXPECT_EQ(runOnce(*program, programs, 4, size), first);
  return first;
}

TEST(Determinism, RacesBetweenPrograms) {
  // Every program writes its number to the same place and reads a neighbour's.
  Outcome outcome = expectSameEachTime(R"(
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %next = add i32 %p, 1
  %mine = getelementptr i32, ptr addrspace(1) %out, i32 %p
  %theirs = getelementptr i32, ptr addrspace(1) %out, i32 %next
  %v = load i32, ptr addrspace(1) %theirs, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %mine, align 4
  ret void
}
)",
                                       64, 65);
  EXPECT_FALSE(outcome.findings.empty());
}

TEST(Determinism, FindingsOfTheFirstProgram) {
  Outcome outcome = expectSameEachTime(R"(
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %p, 64
  %i = add i32 %base, %t
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %i, ptr addrspace(1) %place, align 4
  ret void
}
)",
                                       200, 64 * 100 + 5);
  ASSERT_EQ(outcome.findings.size(), 1u);
  EXPECT_NE(outcome.findings[0].find("program (100, 0, 0), thread 5"), std::string::npos) << outcome.findings[0];
}

TEST(Determinism, OutputInTheOrderOfPrograms) {
  Outcome outcome = expectSameEachTime(R"(
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %args = alloca {i32, i32}, align 8
  %second = getelementptr {i32, i32}, ptr %args, i32 0, i32 1
  store i32 %p, ptr %args
  store i32 %t, ptr %second
  %odd = icmp eq i32 %t, 33
  br i1 %odd, label %print, label %end
print:
  %done = call i32 @vprintf(ptr addrspacecast (ptr addrspace(1) @format to ptr), ptr %args)
  br label %end
end:
  ret void
}
)",
                                       20, 1);
  EXPECT_TRUE(outcome.findings.empty());
  std::string expected;
  for (unsigned program = 0; program < 20; ++program)
    expected += "program " + std::to_string(program) + " lane 33%\n";
  EXPECT_EQ(outcome.printed, expected);
}

} // namespace
} // namespace triton::simulator
