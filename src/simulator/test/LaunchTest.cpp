#include "Harness.h"
#include "VectorAdd.h"

#include <cmath>
#include <cstring>
#include <numeric>

namespace triton::simulator {

static constexpr llvm::StringLiteral prologue = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
@shared = external addrspace(3) global [0 x i8], align 1024
)";

struct AddArrays {
  std::vector<float> a, b, out;
  explicit AddArrays(std::size_t n) : a(n), b(n), out(n, -1.0f) {
    std::iota(a.begin(), a.end(), 0.0f);
    std::iota(b.begin(), b.end(), 1000.0f);
  }
  LaunchResult run(const Program &program, uint32_t programs, uint32_t n) {
    LaunchConfiguration configuration;
    configuration.grid = {programs, 1, 1};
    configuration.threads = 128;
    return launch(program, configuration, {addressOf(a), addressOf(b), addressOf(out), n},
                  {allocationOf(a, "a"), allocationOf(b, "b"), allocationOf(out, "out")});
  }
};

TEST(Launch, KnowsTheClassesOfFloats) {
  auto program = decodeText((prologue + R"(
declare i1 @llvm.is.fpclass.f32(float, i32)
define ptx_kernel void @classes(ptr addrspace(1) %from, ptr addrspace(1) %to) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %in = getelementptr float, ptr addrspace(1) %from, i32 %t
  %out = getelementptr i32, ptr addrspace(1) %to, i32 %t
  %x = load float, ptr addrspace(1) %in
  %isnan = call i1 @llvm.is.fpclass.f32(float %x, i32 3)
  %iszero = call i1 @llvm.is.fpclass.f32(float %x, i32 96)
  %n = zext i1 %isnan to i32
  %z = select i1 %iszero, i32 2, i32 0
  %y = or i32 %n, %z
  store i32 %y, ptr addrspace(1) %out
  ret void
})")
                                .str(),
                            "classes");
  ASSERT_TRUE(program);
  std::vector<float> in(32, 1.0f);
  std::vector<uint32_t> out(32, 7), expected(32, 0);
  in[3] = NAN, expected[3] = 1;
  in[4] = -0.0f, expected[4] = 2;
  in[5] = INFINITY;
  LaunchConfiguration configuration;
  configuration.threads = 32;
  LaunchResult result = launch(*program, configuration, {addressOf(in), addressOf(out)},
                               {allocationOf(in, "in"), allocationOf(out, "out")});
  EXPECT_TRUE(result.findings.empty()) << result.findings.front().str();
  EXPECT_EQ(out, expected);
}

TEST(Launch, AddsWithAMaskedEdge) {
  auto program = decodeText(vectorAddText, "add");
  ASSERT_TRUE(program);
  AddArrays arrays(1000);
  LaunchResult result = arrays.run(*program, 8, 1000);
  EXPECT_TRUE(result.findings.empty()) << result.findings.front().str();
  for (unsigned i = 0; i < 1000; ++i)
    ASSERT_EQ(arrays.out[i], arrays.a[i] + arrays.b[i]) << i;
}

TEST(Launch, ReportsAnAccessOutOfBounds) {
  auto program = decodeText(vectorAddText, "add");
  ASSERT_TRUE(program);
  AddArrays arrays(1000);
  LaunchResult result = arrays.run(*program, 8, 1001); // the mask lets one element too many through
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::OutOfBounds);
  EXPECT_EQ(result.findings[0].program[0], 7u);
  EXPECT_EQ(result.findings[0].thread, 104u);
  EXPECT_NE(result.findings[0].detail.find("read of 4 bytes at byte 4000"), std::string::npos)
      << result.findings[0].detail;
}

TEST(Launch, NotesReadsOfTheWordForUnwrittenMemory) {
  auto program = decodeText(vectorAddText, "add");
  ASSERT_TRUE(program);
  AddArrays arrays(1000);
  LaunchConfiguration configuration;
  configuration.grid = {8, 1, 1};
  configuration.threads = 128;
  configuration.unwritten = 0x3F9D3F9D;
  std::memcpy(&arrays.b[300], &configuration.unwritten, sizeof(float));
  auto run = [&] {
    return launch(*program, configuration, {addressOf(arrays.a), addressOf(arrays.b), addressOf(arrays.out), 1000},
                  {allocationOf(arrays.a, "a"), allocationOf(arrays.b, "b"), allocationOf(arrays.out, "out")});
  };
  LaunchResult result = run();
  EXPECT_TRUE(result.findings.empty());
  ASSERT_EQ(result.unwrittenReads.size(), 1u);
  EXPECT_EQ(result.unwrittenReads[0].kind, FindingKind::UnwrittenGlobal);
  EXPECT_EQ(result.unwrittenReads[0].program[0], 2u);
  EXPECT_EQ(result.unwrittenReads[0].thread, 44u);
  EXPECT_NE(result.unwrittenReads[0].detail.find("read of 4 bytes at byte 1200 of `b`"), std::string::npos)
      << result.unwrittenReads[0].detail;
  configuration.unwritten = 0;
  EXPECT_TRUE(run().unwrittenReads.empty());
}

TEST(Launch, ReportsAccessesFarFromArrays) {
  auto program = decodeText((prologue + R"(
define ptx_kernel void @kernel() {
  %beyond = getelementptr i32, ptr addrspace(3) @shared, i32 64
  store i32 1, ptr addrspace(3) %beyond, align 4, !dbg !6
  store i32 1, ptr addrspace(1) null, align 4
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, emissionKind: LineTablesOnly)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "k.py", directory: "/d")
!3 = !DISubroutineType(types: !4)
!4 = !{}
!5 = distinct !DISubprogram(name: "kernel", scope: !2, file: !2, line: 9, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 14, column: 3, scope: !5)
)")
                                .str());
  ASSERT_TRUE(program);
  LaunchConfiguration configuration;
  configuration.threads = 1;
  configuration.dynamicSharedBytes = 256;
  LaunchResult result = launch(*program, configuration, {}, {});
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.findings[0].detail, "write of 4 bytes at address 0, which is in none of the kernel's arrays");
  EXPECT_EQ(result.findings[1].detail,
            "write of 4 bytes at byte 256 of shared memory, of which the program has 256 bytes");
  EXPECT_EQ(result.findings[1].location.file, "/d/k.py");
}

TEST(Launch, ReportsUseAfterFree) {
  auto program = decodeText(vectorAddText, "add");
  ASSERT_TRUE(program);
  AddArrays arrays(64);
  std::vector<Allocation> allocations = {allocationOf(arrays.a, "a"), allocationOf(arrays.b, "b"),
                                         allocationOf(arrays.out, "out")};
  allocations[1].live = false;
  LaunchConfiguration configuration;
  configuration.threads = 128;
  LaunchResult result =
      launch(*program, configuration, {addressOf(arrays.a), addressOf(arrays.b), addressOf(arrays.out), 64},
             std::move(allocations));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::UseAfterFree);
  EXPECT_NE(result.findings[0].detail.find("`b`, which was freed"), std::string::npos) << result.findings[0].detail;
}

/// Runs one warp of the kernel that `body` defines: thread t must store `expected(t)`.
static void expectOfWarp(llvm::StringRef body, llvm::function_ref<uint32_t(uint32_t)> expected) {
  auto program = decodeText((prologue + body).str());
  ASSERT_TRUE(program);
  std::vector<uint32_t> out(32, 99);
  LaunchResult result = launch(*program, {}, {addressOf(out)}, {allocationOf(out, "out")});
  EXPECT_TRUE(result.findings.empty());
  for (uint32_t t = 0; t < 32; ++t)
    EXPECT_EQ(out[t], expected(t)) << t;
}

/// A loop whose trip count differs by lane, with a value carried around it: out[t] = 0 + 1 + ... + (t - 1).
TEST(Launch, LanesLeaveALoopAtDifferentTimes) {
  expectOfWarp(R"(
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi i32 [ 0, %entry ], [ %more, %body ]
  %go = icmp ult i32 %i, %t
  br i1 %go, label %body, label %end
body:
  %more = add i32 %sum, %i
  %next = add i32 %i, 1
  br label %head
end:
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %sum, ptr addrspace(1) %p, align 4
  ret void
}
)",
               [](uint32_t t) { return t * (t - 1) / 2; });
}

/// A pair and, as elements of it, what it was an iteration before: 10 i + t after i iterations, and the value before
/// it.
TEST(Launch, PhisReceiveElementsOfOtherPhis) {
  expectOfWarp(R"(
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %start = insertelement <2 x i32> zeroinitializer, i32 %t, i64 0
  br label %loop
loop:
  %pair = phi <2 x i32> [ %start, %entry ], [ %next, %loop ]
  %before = phi i32 [ 7, %entry ], [ %first, %loop ]
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %first = extractelement <2 x i32> %pair, i64 0
  %more = add i32 %first, 10
  %next = insertelement <2 x i32> %pair, i32 %more, i64 0
  %i1 = add i32 %i, 1
  %go = icmp ult i32 %i1, 3
  br i1 %go, label %loop, label %end
end:
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %before, ptr addrspace(1) %p, align 4
  ret void
}
)",
               [](uint32_t t) { return t + 10; });
}

/// Each thread passes a value to its neighbour in the next warp through shared memory.
static std::string exchangeThroughShared(bool withBarrier, bool withStore) {
  std::string text = (prologue + R"(
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %t
)")
                         .str();
  if (withStore)
    text += "  store i32 %t, ptr addrspace(3) %mine, align 4\n";
  if (withBarrier)
    text += "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
  return text + R"(
  %other = xor i32 %t, 32
  %theirs = getelementptr i32, ptr addrspace(3) @shared, i32 %other
  %v = load i32, ptr addrspace(3) %theirs, align 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
}
)";
}

static LaunchResult runExchange(bool withBarrier, bool withStore, std::vector<uint32_t> &out) {
  auto program = decodeText(exchangeThroughShared(withBarrier, withStore));
  if (!program)
    return {};
  LaunchConfiguration configuration;
  configuration.threads = 64;
  configuration.dynamicSharedBytes = 256;
  return launch(*program, configuration, {addressOf(out)}, {allocationOf(out, "out")});
}

TEST(Launch, ExchangesThroughSharedMemory) {
  std::vector<uint32_t> out(64);
  LaunchResult result = runExchange(true, true, out);
  EXPECT_TRUE(result.findings.empty()) << result.findings.front().str();
  for (uint32_t t = 0; t < 64; ++t)
    EXPECT_EQ(out[t], t ^ 32);
}

TEST(Launch, ReportsARaceOnSharedMemory) {
  std::vector<uint32_t> out(64);
  LaunchResult result = runExchange(false, true, out);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_TRUE(llvm::any_of(result.findings, [](const Finding &f) { return f.kind == FindingKind::SharedRace; }));
}

TEST(Launch, ReportsAReadOfUninitializedSharedMemory) {
  std::vector<uint32_t> out(64);
  LaunchResult result = runExchange(true, false, out);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::UninitializedShared);
}

TEST(Launch, ReportsABarrierInADivergentBranch) {
  auto program = decodeText((prologue + R"(
define ptx_kernel void @kernel() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 8
  br i1 %low, label %wait, label %end
wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
end:
  ret void
}
)")
                                .str());
  ASSERT_TRUE(program);
  LaunchResult result = launch(*program, {}, {}, {});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::DivergentBarrier);
}

TEST(Launch, ReportsADeadlock) {
  auto program = decodeText((prologue + R"(
define ptx_kernel void @kernel(ptr addrspace(1) %flag) {
entry:
  br label %spin
spin:
  %v = load volatile i32, ptr addrspace(1) %flag, align 4
  %waiting = icmp eq i32 %v, 0
  br i1 %waiting, label %spin, label %end
end:
  ret void
}
)")
                                .str());
  ASSERT_TRUE(program);
  std::vector<uint32_t> flag(1, 0);
  LaunchResult result = launch(*program, {}, {addressOf(flag)}, {allocationOf(flag, "flag")});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::Deadlock);
}

TEST(Launch, ThreeWayComparisons) {
  auto program = decodeText((prologue + R"(
declare i32 @llvm.scmp.i32.i32(i32, i32)
declare i8 @llvm.ucmp.i8.i32(i32, i32)
declare <2 x i64> @llvm.scmp.v2i64.v2i16(<2 x i16>, <2 x i16>)
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %a = sub i32 %t, 2
  %s = call i32 @llvm.scmp.i32.i32(i32 %a, i32 0)
  %u = call i8 @llvm.ucmp.i8.i32(i32 %a, i32 1)
  %uu = sext i8 %u to i32
  %h = trunc i32 %a to i16
  %v0 = insertelement <2 x i16> <i16 0, i16 1>, i16 %h, i64 0
  %v = call <2 x i64> @llvm.scmp.v2i64.v2i16(<2 x i16> %v0, <2 x i16> <i16 1, i16 -1>)
  %w = extractelement <2 x i64> %v, i64 0
  %x = extractelement <2 x i64> %v, i64 1
  %ww = trunc i64 %w to i32
  %xx = trunc i64 %x to i32
  %i = shl i32 %t, 2
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  %all0 = insertelement <4 x i32> poison, i32 %s, i64 0
  %all1 = insertelement <4 x i32> %all0, i32 %uu, i64 1
  %all2 = insertelement <4 x i32> %all1, i32 %ww, i64 2
  %all3 = insertelement <4 x i32> %all2, i32 %xx, i64 3
  store <4 x i32> %all3, ptr addrspace(1) %p, align 16
  ret void
}
)")
                                .str());
  ASSERT_TRUE(program);
  alignas(16) static int32_t out[32 * 4];
  LaunchResult result = launch(*program, {}, {reinterpret_cast<uint64_t>(out)},
                               {{"out", reinterpret_cast<uintptr_t>(out), sizeof(out), true}});
  EXPECT_TRUE(result.findings.empty());
  auto sign = [](int64_t a, int64_t b) { return a < b ? -1 : a > b ? 1 : 0; };
  for (int t = 0; t < 32; ++t) {
    EXPECT_EQ(out[4 * t], sign(t - 2, 0));
    EXPECT_EQ(out[4 * t + 1], sign(uint32_t(t - 2), 1));
    EXPECT_EQ(out[4 * t + 2], sign(t - 2, 1));
    EXPECT_EQ(out[4 * t + 3], 1);
  }
}

TEST(Launch, ReportsARaceOnGlobalMemory) {
  auto program = decodeText((prologue + R"(
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  store i32 %p, ptr addrspace(1) %out, align 4
  ret void
}
)")
                                .str());
  ASSERT_TRUE(program);
  std::vector<uint32_t> out(1);
  LaunchConfiguration configuration;
  configuration.grid = {4, 1, 1};
  LaunchResult result = launch(*program, configuration, {addressOf(out)}, {allocationOf(out, "out")});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::GlobalRace);
}

TEST(Launch, ReportsMisalignedVectorAccess) {
  auto program = decodeText((prologue + R"(
define ptx_kernel void @kernel(ptr addrspace(1) %in) {
  %p = getelementptr i8, ptr addrspace(1) %in, i64 4
  %v = load <4 x i32>, ptr addrspace(1) %p, align 16
  store <4 x i32> %v, ptr addrspace(1) %in, align 16
  ret void
}
)")
                                .str());
  ASSERT_TRUE(program);
  alignas(64) static uint32_t storage[16];
  LaunchConfiguration configuration;
  configuration.threads = 1;
  LaunchResult result = launch(*program, configuration, {reinterpret_cast<uint64_t>(storage)},
                               {{"in", reinterpret_cast<uintptr_t>(storage), sizeof(storage), true}});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, FindingKind::Misaligned);
}

/// Data of an asynchronous copy is there after the wait, and not before.
TEST(Launch, AsynchronousCopyNeedsItsWait) {
  for (bool waits : {true, false}) {
    std::string text = (prologue + R"(
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  %g = getelementptr i32, ptr addrspace(1) %in, i32 %t
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %s, ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.commit.group()
)")
                           .str();
    if (waits)
      text += "  call void @llvm.nvvm.cp.async.wait.group(i32 0)\n";
    text += R"(
  %v = load i32, ptr addrspace(3) %s, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %o, align 4
  ret void
}
)";
    auto program = decodeText(text);
    ASSERT_TRUE(program);
    std::vector<uint32_t> in(32), out(32);
    std::iota(in.begin(), in.end(), 7);
    LaunchConfiguration configuration;
    configuration.dynamicSharedBytes = 128;
    LaunchResult result = launch(*program, configuration, {addressOf(in), addressOf(out)},
                                 {allocationOf(in, "in"), allocationOf(out, "out")});
    EXPECT_EQ(result.findings.empty(), waits);
    EXPECT_EQ(out == in, waits);
  }
}

/// A copy must not be issued to bytes that another warp may still be reading, even if it arrives much later.
TEST(Launch, AsynchronousCopyRacesWithReaders) {
  for (bool synchronizes : {true, false}) {
    std::string text = (prologue + R"(
declare void @llvm.nvvm.barrier0()
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  store i32 %t, ptr addrspace(3) %own, align 4
  call void @llvm.nvvm.barrier0()
  %u = xor i32 %t, 32
  %other = getelementptr i32, ptr addrspace(3) @shared, i32 %u
  %v = load i32, ptr addrspace(3) %other, align 4
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %o, align 4
)")
                           .str();
    if (synchronizes)
      text += "  call void @llvm.nvvm.barrier0()\n";
    text += R"(
  %g = getelementptr i32, ptr addrspace(1) %in, i32 %t
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %own, ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.barrier0()
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  ret void
}
)";
    auto program = decodeText(text);
    ASSERT_TRUE(program);
    std::vector<uint32_t> in(64), out(64);
    LaunchConfiguration configuration;
    configuration.threads = 64;
    configuration.dynamicSharedBytes = 256;
    LaunchResult result = launch(*program, configuration, {addressOf(in), addressOf(out)},
                                 {allocationOf(in, "in"), allocationOf(out, "out")});
    EXPECT_EQ(result.findings.empty(), synchronizes);
    EXPECT_TRUE(llvm::all_of(result.findings, [](const Finding &f) { return f.kind == FindingKind::SharedRace; }));
  }
}

TEST(Launch, RefusesWhatItDoesNotKnow) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(R"(
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @kernel() {
  call void asm sideeffect "made.up $$1;", ""()
  ret void
}
)",
                                          diagnostic, context);
  ASSERT_TRUE(module);
  llvm::Expected<std::unique_ptr<Program>> program = decodeKernel(*module, "kernel");
  ASSERT_FALSE(program);
  EXPECT_NE(llvm::toString(program.takeError()).find("made.up"), std::string::npos);
}

TEST(Launch, RefusesTargetsThatItDoesNotKnow) {
  for (auto [target, message] : {std::pair("target triple = \"sparc-sun-solaris\"", "the target `sparc-sun-solaris`"),
                                 std::pair("", "a module that names no target")}) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString(std::string(target) + "\ndefine void @kernel() {\n  ret void\n}\n",
                                            diagnostic, context);
    ASSERT_TRUE(module);
    llvm::Expected<std::unique_ptr<Program>> program = decodeKernel(*module, "kernel");
    ASSERT_FALSE(program);
    std::string error = llvm::toString(program.takeError());
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
}

} // namespace triton::simulator
