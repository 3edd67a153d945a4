// Barriers with numbers, arriving without waiting, barriers of clusters, and what they order.
#include "Harness.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

namespace triton::simulator {
namespace {

constexpr llvm::StringLiteral prologue = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.nctarank()
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nclusterid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cluster.arrive.aligned()
declare void @llvm.nvvm.barrier.cluster.arrive.relaxed.aligned()
declare void @llvm.nvvm.barrier.cluster.wait.aligned()
declare ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3), i32)
declare ptr @llvm.nvvm.mapa(ptr, i32)
@shared = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @kernel(ptr addrspace(1) %out, ptr addrspace(1) %seen) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %rank = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  %w = lshr i32 %t, 5
  %base = mul i32 %p, 128
  %i = add i32 %base, %t
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %i
  %ps = getelementptr i32, ptr addrspace(1) %seen, i32 %i
  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %t
)";

struct BarrierRun : CheckedRun {
  std::vector<uint32_t> out, seen; ///< `seen` is for what races must decide

  /// `isNamed`: the kernel itself gives the size of its clusters.
  explicit BarrierRun(const std::string &body, uint32_t programs = 1, uint32_t cluster = 1, unsigned hostThreads = 0,
                      bool isNamed = false)
      : out(128 * programs), seen(out.size()) {
    std::string text = (prologue + body + "\n  ret void\n}\n").str();
    if (isNamed)
      text.insert(text.find(" {", text.find("@kernel")), llvm::formatv(" \"nvvm.cluster_dim\"=\"{0},1,1\"", cluster));
    auto program = decodeText(text);
    if (!program)
      return;
    LaunchConfiguration configuration;
    configuration.grid = {programs, 1, 1};
    if (!isNamed)
      configuration.cluster = {cluster, 1, 1};
    configuration.threads = 128;
    configuration.dynamicSharedBytes = 1024;
    configuration.hostThreads = hostThreads;
    result = launch(*program, configuration, {addressOf(out), addressOf(seen)},
                    {allocationOf(out, "out"), allocationOf(seen, "seen")});
  }
  bool has(FindingKind kind) const {
    return llvm::any_of(result.findings, [&](const Finding &finding) { return finding.kind == kind; });
  }
  void expectDeadlock(llvm::StringRef words) {
    ASSERT_EQ(result.findings.size(), 1u);
    EXPECT_EQ(result.findings[0].kind, FindingKind::Deadlock);
    EXPECT_NE(result.findings[0].detail.find(words.str()), std::string::npos) << result.findings[0].detail;
  }
};

/// Every thread writes its place, then its pair of warps meets, then it reads the place of the thread whose number
/// differs by `distance`. Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2.
std::string exchangeInPairs(unsigned distance, bool isShared) {
  std::string place = isShared ? "ptr addrspace(3) @shared" : "ptr addrspace(1) %out";
  return llvm::formatv(R"(
  %own = getelementptr i32, {0}, i32 %t
  store i32 %t, {1} %own, align 4
  %pair = lshr i32 %w, 1
  %number = add i32 %pair, 1
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 %number, i32 64)
  %other = xor i32 %t, {2}
  %theirs = getelementptr i32, {0}, i32 %other
  %v = load i32, {1} %theirs, align 4
  store i32 %v, ptr addrspace(1) %ps, align 4)",
                       place, isShared ? "ptr addrspace(3)" : "ptr addrspace(1)", distance)
      .str();
}

TEST(Barrier, NumbersAreBarriersOfTheirOwn) {
  BarrierRun run(exchangeInPairs(32, true) + "\n  store i32 %v, ptr addrspace(1) %po, align 4");
  run.expectNoFindings();
  for (uint32_t t = 0; t < 128; ++t)
    EXPECT_EQ(run.out[t], t ^ 32);
}

/// Each pair has passed one barrier, but not the same one.
TEST(Barrier, OrdersOnlyThoseWhoMeet) {
  EXPECT_TRUE(BarrierRun(exchangeInPairs(64, true)).has(FindingKind::SharedRace));
  BarrierRun(exchangeInPairs(32, false)).expectNoFindings();
  for (unsigned hostThreads : {1u, 4u})
    EXPECT_TRUE(BarrierRun(exchangeInPairs(64, false), 1, 1, hostThreads).has(FindingKind::GlobalRace));
}

/// Warp 0 passes on to warp 2 what it has learned from warp 1.
TEST(Barrier, OrderIsTransitive) {
  for (bool isPassedOn : {true, false}) {
    BarrierRun run(llvm::formatv(R"(
  switch i32 %w, label %end [ i32 0, label %middle
                              i32 1, label %first
                              i32 2, label %last ]
first:
  store i32 7, ptr addrspace(3) @shared, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  br label %end
middle:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 {0}, i32 64)
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 {1}, i32 64)
  br label %end
last:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 2, i32 64)
  %v = load i32, ptr addrspace(3) @shared, align 4
  store i32 %v, ptr addrspace(1) %po, align 4
  br label %end
end:)",
                                 isPassedOn ? 1 : 2, isPassedOn ? 2 : 1)
                       .str());
    EXPECT_EQ(run.result.findings.empty(), isPassedOn);
  }
}

/// Warps that wait for each other may write what all of them have read, even if other warps lag behind.
TEST(Barrier, ReadersOfAPartOfTheProgram) {
  for (llvm::StringRef place : {"ptr addrspace(3) @shared", "ptr addrspace(1) %out"})
    for (bool meet : {true, false}) {
      llvm::StringRef pointer = place.take_front(16);
      BarrierRun run(llvm::formatv(R"(
  %fill = getelementptr i32, {0}, i32 %t
  store i32 1, {1} %fill, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %few = icmp ult i32 %w, 3
  br i1 %few, label %some, label %end
some:
  %v = load i32, {0}, align 4
  store i32 %v, ptr addrspace(1) %ps, align 4
  {2}
  %first = icmp eq i32 %t, 40
  br i1 %first, label %write, label %end
write:
  store i32 2, {0}, align 4
  br label %end
end:)",
                                   place, pointer,
                                   meet ? "call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 96)" : "")
                         .str());
      EXPECT_EQ(run.result.findings.empty(), meet);
    }
}

/// Warp 0 leaves data and continues; warp 1 waits for the data.
std::string produce(llvm::StringRef afterwards) {
  return llvm::formatv(R"(
  switch i32 %w, label %end [ i32 0, label %producer
                              i32 1, label %consumer ]
producer:
  store i32 %t, ptr addrspace(3) %mine, align 4
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 3, i32 64)
  {0}
  br label %end
consumer:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 3, i32 64)
  %other = xor i32 %t, 32
  %theirs = getelementptr i32, ptr addrspace(3) @shared, i32 %other
  %v = load i32, ptr addrspace(3) %theirs, align 4
  store i32 %v, ptr addrspace(1) %po, align 4
  br label %end
end:)",
                       afterwards)
      .str();
}

TEST(Barrier, ArrivingIsNotWaiting) {
  BarrierRun run(produce(""));
  run.expectNoFindings();
  for (uint32_t t = 32; t < 64; ++t)
    EXPECT_EQ(run.out[t], t - 32);
}

TEST(Barrier, WhatFollowsAnArrivalIsNotOrdered) {
  EXPECT_TRUE(BarrierRun(produce("store i32 1, ptr addrspace(3) %mine, align 4")).has(FindingKind::SharedRace));
}

TEST(Barrier, NamesWhoIsMissing) {
  BarrierRun(R"(
  %few = icmp ult i32 %w, 2
  br i1 %few, label %meet, label %end
meet:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 5, i32 96)
  br label %end
end:)")
      .expectDeadlock("no thread of the launch can go on: the warp waits at barrier 5; warps 0 and 1 have arrived at "
                      "barrier 5, where 3 are to meet, warps 2 and 3 have ended");
  BarrierRun(R"(
  %first = icmp eq i32 %w, 0
  %number = select i1 %first, i32 1, i32 2
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 %number))")
      .expectDeadlock("warp 0 has arrived at barrier 1, warps 1 to 3 have not; warps 1 to 3 have arrived at barrier 2, "
                      "warp 0 has not");
}

TEST(Barrier, ReportsDifferentCounts) {
  BarrierRun run(R"(
  %first = icmp eq i32 %w, 0
  %count = select i1 %first, i32 64, i32 128
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 %count))");
  ASSERT_TRUE(run.has(FindingKind::DivergentBarrier));
  EXPECT_NE(run.result.findings[0].detail.find("4 warps are to meet at barrier 1, where others wait for 2"),
            std::string::npos)
      << run.result.findings[0].detail;
}

//===--- Clusters -----------------------------------------------------------------------------------------------===//

constexpr llvm::StringLiteral meet = R"(
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
)";

/// Every thread writes its own program's shared memory and reads that of the other program of the cluster.
std::string exchangeInCluster(llvm::StringRef between, llvm::StringRef after) {
  return llvm::formatv(R"(
  store i32 %i, ptr addrspace(3) %mine, align 4
  {0}
  %other = xor i32 %rank, 1
  %theirs = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) %mine, i32 %other)
  %v = load i32, ptr addrspace(7) %theirs, align 4
  {1}
  store i32 %v, ptr addrspace(1) %po, align 4)",
                       between, after)
      .str();
}

TEST(Cluster, ProgramsExchangeThroughSharedMemory) {
  for (unsigned hostThreads : {1u, 4u}) {
    BarrierRun run(exchangeInCluster(meet, meet), 6, 2, hostThreads);
    run.expectNoFindings();
    for (uint32_t i = 0; i < run.out.size(); ++i)
      EXPECT_EQ(run.out[i], i ^ 128);
  }
}

TEST(Cluster, TheKernelMaySayWhatItsClustersAre) {
  BarrierRun run(exchangeInCluster(meet, meet), 6, 2, 0, /*isNamed=*/true);
  run.expectNoFindings();
  for (uint32_t i = 0; i < run.out.size(); ++i)
    EXPECT_EQ(run.out[i], i ^ 128);
}

/// A relaxed arrival orders only what an earlier fence releases.
TEST(Cluster, RelaxedArrivalsOrderNothing) {
  constexpr llvm::StringLiteral relaxed = R"(
  call void @llvm.nvvm.barrier.cluster.arrive.relaxed.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
)",
                                fence = "  fence syncscope(\"cluster\") release";
  EXPECT_TRUE(BarrierRun(exchangeInCluster(relaxed, meet), 2, 2).has(FindingKind::SharedRace));
  BarrierRun((exchangeInCluster((fence + relaxed).str(), meet)), 2, 2).expectNoFindings();
}

TEST(Cluster, SharedMemoryOfAnotherProgramIsChecked) {
  EXPECT_TRUE(BarrierRun(exchangeInCluster("", ""), 2, 2).has(FindingKind::SharedRace));
  BarrierRun beyond(R"(
  %generic = addrspacecast ptr addrspace(3) @shared to ptr
  %far = getelementptr i8, ptr %generic, i32 1024
  %theirs = call ptr @llvm.nvvm.mapa(ptr %far, i32 1)
  store i32 1, ptr %theirs, align 4)",
                    2, 2);
  EXPECT_TRUE(beyond.has(FindingKind::OutOfBounds));
}

/// The first program waits for what the second does after its own barrier of the program.
TEST(Cluster, OrdersGlobalMemory) {
  for (bool waits : {true, false}) {
    BarrierRun run(llvm::formatv(R"(
  %first = icmp eq i32 %rank, 0
  br i1 %first, label %meet, label %write
write:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %t, ptr addrspace(1) %po, align 4
  br label %meet
meet:
  {0}
  br i1 %first, label %read, label %end
read:
  %next = add i32 %i, 128
  %theirs = getelementptr i32, ptr addrspace(1) %out, i32 %next
  %v = load i32, ptr addrspace(1) %theirs, align 4
  store i32 %v, ptr addrspace(1) %po, align 4
  br label %end
end:)",
                                 waits ? meet : llvm::StringLiteral(""))
                       .str(),
                   4, 2);
    EXPECT_EQ(run.result.findings.empty(), waits);
    if (waits)
      EXPECT_EQ(run.out[100], 100u);
  }
}

TEST(Cluster, NumbersOfItsPrograms) {
  BarrierRun run(R"(
  %size = call i32 @llvm.nvvm.read.ptx.sreg.cluster.nctarank()
  %x = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
  %cluster = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
  %clusters = call i32 @llvm.nvvm.read.ptx.sreg.nclusterid.x()
  %a = mul i32 %size, 1000
  %b = mul i32 %x, 100
  %c = mul i32 %cluster, 10
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  %r = add i32 %abc, %clusters
  store i32 %r, ptr addrspace(1) %po, align 4)",
                 6, 2);
  run.expectNoFindings();
  for (uint32_t p = 0; p < 6; ++p)
    EXPECT_EQ(run.out[p * 128], 2000 + p % 2 * 100 + p / 2 * 10 + 3);
}

/// Nobody waits for threads that have ended.
TEST(Cluster, WaitsForThreadsThatHaveNotEnded) {
  std::string text = R"(
  %first = icmp eq i32 %rank, 0
  br i1 %first, label %meet, label %other
other:
  {0}
  br label %end
meet:
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  br label %end
end:)";
  BarrierRun(llvm::formatv(false, text.c_str(), "").str(), 2, 2).expectNoFindings();
  BarrierRun(
      llvm::formatv(false, text.c_str(), "call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 256)").str(),
      2, 2)
      .expectDeadlock("warps 0 to 3 have arrived at the barrier of the cluster, warps 4 to 7 have not; warps 0 to 3 "
                      "have arrived at barrier 1, where 8 are to meet");
}

} // namespace
} // namespace triton::simulator
