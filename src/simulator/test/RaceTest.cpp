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
  llvm::StringLiteral stored = "%writer"; ///< another value for each warp
};

std::string accessText(const Access &access, unsigned number) {
  std::string text = llvm::formatv("  %a{0} = getelementptr i{1}, ptr addrspace(1) %out, i32 {2}\n", number,
                                   access.bits, access.index.str())
                         .str();
  if (access.isStore)
    return text + llvm::formatv("  %w{0} = {3} i64 {2} to i{1}\n  store i{1} %w{0}, ptr addrspace(1) %a{0}, align 1\n",
                                number, access.bits, access.stored, access.bits == 64 ? "bitcast" : "trunc")
                      .str();
  // What is read must decide something.
  return text + llvm::formatv(R"(  %v{0} = load i{1}, ptr addrspace(1) %a{0}, align 1
  %s{0} = getelementptr [4 x i64], ptr addrspace(1) %seen, i32 %id, i32 {0}
  store i{1} %v{0}, ptr addrspace(1) %s{0}
)",
                              number, access.bits)
                    .str();
}

/// Whether a launch of `programs` programs of 64 threads with this body races according to the simulator. Several host
/// threads must give the same answer.
bool races(const std::string &body, unsigned programs) {
  auto program = decodeText(R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @kernel(ptr addrspace(1) %out, ptr addrspace(1) %seen) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %warp = lshr i32 %t, 5
  %next = add i32 %p, 1
  %pair = shl i32 %p, 1
  %quad = shl i32 %p, 2
  %last = add i32 %quad, 3
  %first = shl i32 %p, 6
  %id = add i32 %first, %t
  %number = add i32 %pair, %warp
  %writer = zext i32 %number to i64
  %program = zext i32 %p to i64
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
    std::vector<uint64_t> seen(std::size_t(programs) * 64 * 4);
    LaunchResult result = launch(*program, configuration, {addressOf(out), addressOf(seen)},
                                 {allocationOf(out, "out"), allocationOf(seen, "seen")});
    answers.push_back(!result.findings.empty());
    for (const Finding &finding : result.findings)
      EXPECT_EQ(finding.kind, FindingKind::GlobalRace);
  }
  EXPECT_EQ(answers[0], answers[1]);
  return answers[0];
}

/// The same, if each thread does these accesses.
bool races(std::initializer_list<Access> accesses, unsigned programs) {
  std::string body;
  unsigned number = 0;
  for (const Access &access : accesses)
    body += accessText(access, number++);
  return races(body, programs);
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

TEST(Races, WritesOfTheSameAreNone) {
  EXPECT_FALSE(races({{8, "0", true, "1"}}, 8)); // by warps of several programs
  EXPECT_FALSE(races({{32, "0", true, "%program"}}, 1));
  EXPECT_TRUE(races({{32, "0", true, "%program"}}, 2));                    // the same in a program
  EXPECT_FALSE(races({{16, "%warp", true, "0"}, {8, "1", true, "0"}}, 8)); // of parts of what others write
  EXPECT_FALSE(races({{8, "1", true, "0"}, {16, "%warp", true, "0"}}, 8));
  EXPECT_TRUE(races({{16, "%warp", true, "0"}, {8, "1", true, "1"}}, 8));
}

/// Each of those that have written the same may have been the last one.
TEST(Races, WritesOfTheSameBeforeOthers) {
  EXPECT_TRUE(races({{8, "%warp", true, "0"}, {8, "%warp", true, "%program"}}, 2)); // set by one of those that clear it
  EXPECT_TRUE(races({{32, "0", true, "1"}, {32, "0", false}}, 8));
  EXPECT_TRUE(races({{32, "%p", false}, {32, "0", true, "1"}}, 8)); // whoever reads it before it is written
}

TEST(Races, ReadersAreFree) {
  EXPECT_FALSE(races({{8, "0", false}, {16, "0", false}, {32, "0", false}, {64, "0", false}}, 64));
}

TEST(Races, BetweenPrograms) {
  EXPECT_TRUE(races({{32, "%p", false}, {32, "%next", true}}, 8));
  EXPECT_TRUE(races({{8, "%next", false}, {8, "%p", true}}, 8));
}

/// Both warps of a program load the same 32 elements, and store their sums under a mask or what `stored` says.
std::string inPlace(llvm::StringRef mask, llvm::StringRef more = "") {
  return llvm::formatv(R"(
  %lane = and i32 %t, 31
  %block = shl i32 %p, 5
  %i = add i32 %block, %lane
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %i
  %x = load i32, ptr addrspace(1) %place
  %y = add i32 %x, 5
  {1}
  %isFirst = icmp ult i32 %t, 32
  %isSecond = icmp ugt i32 %t, 31
  %mask = select i1 {0}, i1 true, i1 false
  br i1 %mask, label %store, label %end
store:
  store i32 %y, ptr addrspace(1) %place
  br label %end
end:
)",
                       mask, more)
      .str();
}

TEST(Races, ReadsThatDecideNothing) {
  EXPECT_FALSE(races(inPlace("%isFirst"), 8));  // the warp that stores comes first
  EXPECT_FALSE(races(inPlace("%isSecond"), 8)); // it comes last
  EXPECT_TRUE(races(inPlace("true"), 8));       // two warps write
}

TEST(Races, ReadsThatDecideOtherResults) {
  constexpr llvm::StringLiteral stored = R"(
  %s = getelementptr i32, ptr addrspace(1) %seen, i32 %id
  store i32 %y, ptr addrspace(1) %s
)",
                                copied = R"(
  %from = add i32 %block, 1
  %neighbour = getelementptr i32, ptr addrspace(1) %out, i32 %from
  %used = load i32, ptr addrspace(1) %neighbour
  %s = getelementptr i32, ptr addrspace(1) %seen, i32 %id
  store i32 %used, ptr addrspace(1) %s
)";
  EXPECT_TRUE(races(inPlace("%isFirst", stored), 8));
  EXPECT_TRUE(races(inPlace("%isSecond", stored), 8));
  EXPECT_TRUE(races(inPlace("%isFirst", copied), 8)); // beside a read of the same program that decides nothing
}

TEST(Races, ReadsThatDecideHowLongALoopRuns) {
  // The second warp counts down to zero from what it has loaded: 1 for 0xFFFFFFFE turns if the value is another one.
  EXPECT_FALSE(races(inPlace("%isFirst", R"(
  br label %loop
loop:
  %n = phi i32 [ %x, %0 ], [ %less, %loop ]
  %less = add i32 %n, -1
  %more = icmp sgt i32 %less, 0
  br i1 %more, label %loop, label %after
after:
)"),
                     1));
}

} // namespace
} // namespace triton::simulator
