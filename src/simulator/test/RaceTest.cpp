// Races are races of bytes: accesses to neighbouring bytes of a word do not race, and every overlap does, whatever the
// sizes.
#include "Harness.h"

#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {
namespace {

/// How a thread accesses memory: the element at `index` of an array of integers of that width.
struct Access {
  unsigned bits;
  llvm::StringLiteral index; ///< of %t, the thread, and %p, the program
  bool isStore;
};

std::string accessText(const Access &access, unsigned number) {
  std::string text = llvm::formatv("  %a{0} = getelementptr i{1}, ptr addrspace(1) %out, i32 {2}\n", number,
                                   access.bits, access.index.str())
                         .str();
  if (access.isStore)
    return text + llvm::formatv("  store i{1} 1, ptr addrspace(1) %a{0}, align 1\n", number, access.bits).str();
  return text + llvm::formatv("  %v{0} = load i{1}, ptr addrspace(1) %a{0}, align 1\n", number, access.bits).str();
}

/// Whether a launch of `programs` programs of 64 threads, each of which does these accesses, races according to the
/// simulator. Several host threads must give the same answer.
bool races(std::initializer_list<Access> accesses, unsigned programs) {
  std::string body;
  unsigned number = 0;
  for (const Access &access : accesses)
    body += accessText(access, number++);
  auto program = decodeText(R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %warp = lshr i32 %t, 5
  %next = add i32 %p, 1
  %pair = shl i32 %p, 1
  %quad = shl i32 %p, 2
  %last = add i32 %quad, 3
)" + body + "  ret void\n}\n");
  if (!program)
    return false;
  std::vector<bool> answers;
  for (unsigned hostThreads : {1u, 4u}) {
    std::vector<uint32_t> out(4096);
    LaunchConfiguration configuration;
    configuration.grid = {programs, 1, 1};
    configuration.threads = 64;
    configuration.hostThreads = hostThreads;
    LaunchResult result = launch(*program, configuration, {addressOf(out)}, {allocationOf(out, "out")});
    answers.push_back(!result.findings.empty());
    for (const Finding &finding : result.findings)
      EXPECT_EQ(finding.kind, FindingKind::GlobalRace);
  }
  EXPECT_EQ(answers[0], answers[1]);
  return answers[0];
}

TEST(Races, NeighboursWithinAWordAreNone) {
  EXPECT_FALSE(races({{8, "%t", true}}, 1));                   // the bytes of one program
  EXPECT_FALSE(races({{8, "%warp", true}}, 1));                // two warps, a byte each
  EXPECT_FALSE(races({{8, "%t", true}, {8, "%t", false}}, 1)); // written and read by the same thread
  EXPECT_FALSE(races({{16, "%warp", true}, {16, "%warp", false}}, 1));
}

TEST(Races, BytesThatSeveralWarpsWrite) {
  EXPECT_TRUE(races({{8, "0", true}}, 1));
  EXPECT_TRUE(races({{8, "%p", true}}, 64)); // by both warps of each program
  EXPECT_TRUE(races({{16, "%p", true}}, 2));
  EXPECT_TRUE(races({{32, "0", true}}, 1));
}

TEST(Races, OverlapsOfDifferentSizes) {
  EXPECT_TRUE(races({{8, "%warp", true}, {16, "0", false}}, 1)); // a half read whose bytes two warps write
  EXPECT_TRUE(races({{16, "%warp", true}, {32, "0", false}}, 1));
  EXPECT_TRUE(races({{32, "%warp", true}, {8, "5", false}}, 1));  // byte 5 belongs to warp 1's word
  EXPECT_FALSE(races({{16, "%warp", true}, {8, "7", false}}, 1)); // byte 7 to nobody's half
}

TEST(Races, ReadersAreFree) {
  EXPECT_FALSE(races({{8, "0", false}, {16, "0", false}, {32, "0", false}, {64, "0", false}}, 64));
}

TEST(Races, BetweenPrograms) {
  EXPECT_TRUE(races({{32, "%p", false}, {32, "%next", true}}, 8));
  EXPECT_TRUE(races({{8, "%next", false}, {8, "%p", true}}, 8));
}

} // namespace
} // namespace triton::simulator
