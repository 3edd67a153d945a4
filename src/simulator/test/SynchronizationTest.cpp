// Order between programs: releases and acquires at places in global memory, their scopes, and how they combine.
#include "Harness.h"

#include "llvm/ADT/StringExtras.h"

#include <map>
#include <random>

namespace triton::simulator {
namespace {

constexpr llvm::StringLiteral prologue = R"(
target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.membar.cta()
define ptx_kernel void @kernel(ptr addrspace(1) %data, ptr addrspace(1) %flag, ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %warp = lshr i32 %t, 5
  %lane = and i32 %t, 31
  %isFirst = icmp eq i32 %p, 0
)";

struct Outcome {
  std::string report; ///< empty: nothing was found
  std::vector<uint32_t> data, out;
};

/// Runs the body. If `threads` is 1, only lane 0 of each warp runs it.
Outcome simulate(const std::string &body, unsigned programs, unsigned threads = 1) {
  Outcome outcome{"", std::vector<uint32_t>(64), std::vector<uint32_t>(64)};
  std::vector<uint32_t> flag(64);
  auto program = decodeText((prologue + body + "\n}\n").str());
  if (!program)
    return outcome;
  LaunchConfiguration configuration;
  configuration.grid = {programs, 1, 1};
  configuration.threads = threads;
  configuration.dynamicSharedBytes = 64;
  LaunchResult result =
      launch(*program, configuration, {addressOf(outcome.data), addressOf(flag), addressOf(outcome.out)},
             {allocationOf(outcome.data, "data"), allocationOf(flag, "flag"), allocationOf(outcome.out, "out")});
  for (const Finding &finding : result.findings) {
    EXPECT_EQ(finding.kind, FindingKind::GlobalRace) << finding.str();
    outcome.report += finding.str() + "\n";
  }
  return outcome;
}

/// Program 0 writes the data and then does `send`. Program 1 repeats `receive`, which defines %seen, until %seen is not
/// zero, and then reads the data.
std::string passMessage(llvm::StringRef send, llvm::StringRef receive, llvm::StringRef afterwards) {
  return ("  br i1 %isFirst, label %sender, label %spin\nsender:\n  store i32 7, ptr addrspace(1) %data\n" + send +
          "\n  ret void\nspin:\n" + receive +
          "\n  %waiting = icmp eq i32 %seen, 0\n  br i1 %waiting, label %spin, label %receiver\nreceiver:\n" +
          afterwards + "\n  %v = load i32, ptr addrspace(1) %data\n  store i32 %v, ptr addrspace(1) %out\n  ret void\n")
      .str();
}

constexpr llvm::StringLiteral
    raise = "  %o = atomicrmw xchg ptr addrspace(1) %flag, i32 1 syncscope(\"device\") monotonic",
    look = "  %seen = atomicrmw add ptr addrspace(1) %flag, i32 0 syncscope(\"device\") monotonic",
    releaseFence = "  fence syncscope(\"device\") release\n", acquireFence = "  fence syncscope(\"device\") acquire";

TEST(Synchronization, FencesAroundRelaxedOperationsPassAMessage) {
  Outcome outcome = simulate(passMessage(releaseFence.str() + raise.str(), look, acquireFence), 2);
  EXPECT_EQ(outcome.report, "");
  EXPECT_EQ(outcome.out[0], 7u);
}

TEST(Synchronization, RelaxedOperationsAloneOrderNothing) {
  EXPECT_NE(simulate(passMessage(raise, look, ""), 2).report, "");
  EXPECT_NE(simulate(passMessage(releaseFence.str() + raise.str(), look, ""), 2).report, "");
  EXPECT_NE(simulate(passMessage(raise, look, acquireFence), 2).report, "");
  // A fence after the flag is set comes too late.
  EXPECT_NE(simulate(passMessage(raise.str() + "\n" + releaseFence.str(), look, acquireFence), 2).report, "");
}

TEST(Synchronization, OperationsMayReleaseAndAcquireThemselves) {
  auto pass = [](llvm::StringRef release, llvm::StringRef acquire) {
    return simulate(passMessage(("  %o = atomicrmw xchg ptr addrspace(1) %flag, i32 1 " + release).str(),
                                ("  %r = cmpxchg ptr addrspace(1) %flag, i32 1, i32 2 " + acquire + " monotonic\n" +
                                 "  %seen = extractvalue {i32, i1} %r, 0")
                                    .str(),
                                ""),
                    2)
        .report;
  };
  EXPECT_EQ(pass("release", "acquire"), "");
  EXPECT_EQ(pass("acq_rel", "acq_rel"), "");
  EXPECT_EQ(pass("seq_cst", "seq_cst"), "");
  EXPECT_NE(pass("monotonic", "acquire"), "");
  EXPECT_NE(pass("release", "monotonic"), "");
  EXPECT_NE(pass("acquire", "acquire"), "");
  EXPECT_NE(pass("release", "release"), "");
}

TEST(Synchronization, VolatileAccessesAreRelaxedOnes) {
  constexpr llvm::StringLiteral store = "  store volatile i32 1, ptr addrspace(1) %flag",
                                load = "  %seen = load volatile i32, ptr addrspace(1) %flag";
  EXPECT_EQ(simulate(passMessage(releaseFence.str() + store.str(), load, acquireFence), 2).report, "");
  EXPECT_NE(simulate(passMessage(store, load, ""), 2).report.find("of `data`"), std::string::npos);
  EXPECT_EQ(simulate(passMessage(store, load, ""), 2).report.find("of `flag`"), std::string::npos);
  // A plain store that sets a flag races with those who read the flag.
  constexpr llvm::StringLiteral plain = "  store i32 1, ptr addrspace(1) %flag";
  EXPECT_NE(simulate(passMessage(releaseFence.str() + plain.str(), look, acquireFence), 2).report.find("of `flag`"),
            std::string::npos);
}

TEST(Synchronization, AtomicLoadsAndStores) {
  constexpr llvm::StringLiteral store = "  store atomic i32 1, ptr addrspace(1) %flag release, align 4",
                                load = "  %seen = load atomic i32, ptr addrspace(1) %flag acquire, align 4",
                                relaxed = "  %seen = load atomic i32, ptr addrspace(1) %flag monotonic, align 4";
  EXPECT_EQ(simulate(passMessage(store, load, ""), 2).report, "");
  EXPECT_NE(simulate(passMessage(store, relaxed, ""), 2).report, "");
}

TEST(Synchronization, FencesOfTheTarget) {
  auto pass = [](llvm::StringRef fence) {
    std::string text = ("  call void " + fence + "\n").str();
    return simulate(passMessage(text + raise.str(), look, text), 2).report;
  };
  EXPECT_EQ(pass("@llvm.nvvm.membar.gl()"), "");
  EXPECT_NE(pass("@llvm.nvvm.membar.cta()"), "");
  EXPECT_EQ(pass("asm sideeffect \"fence.acq_rel.gpu;\", \"\"()"), "");
  EXPECT_EQ(pass("asm sideeffect \"membar.gl;\", \"\"()"), "");
  EXPECT_NE(pass("asm sideeffect \"fence.acq_rel.cta;\", \"\"()"), "");
}

TEST(Synchronization, TheScopeOfAProgramDoesNotReachOthers) {
  auto inBlock = [](llvm::StringRef text) {
    std::string changed = text.str();
    for (std::size_t place; (place = changed.find("device")) != std::string::npos;)
      changed.replace(place, 6, "block");
    return changed;
  };
  std::string send = releaseFence.str() + raise.str();
  EXPECT_NE(simulate(passMessage(inBlock(releaseFence) + raise.str(), look, acquireFence), 2).report, "");
  EXPECT_NE(simulate(passMessage(send, look, inBlock(acquireFence)), 2).report, "");
  std::string report = simulate(passMessage(releaseFence.str() + inBlock(raise), look, acquireFence), 2).report;
  EXPECT_NE(report.find("while the scope of one of the two is its own program"), std::string::npos) << report;
  EXPECT_NE(simulate(passMessage(send, inBlock(look), acquireFence), 2).report, "");
}

/// The same between the warps of a program, where it is sufficient.
TEST(Synchronization, TheScopeOfAProgramReachesItsWarps) {
  auto pass = [](llvm::StringRef scope, llvm::StringRef release) {
    std::string quoted = ("syncscope(\"" + scope + "\") ").str();
    return simulate("  %first = icmp eq i32 %lane, 0\n  br i1 %first, label %one, label %end\none:\n"
                    "  %sends = icmp eq i32 %warp, 0\n  br i1 %sends, label %sender, label %spin\nsender:\n"
                    "  store i32 7, ptr addrspace(1) %data\n  fence " +
                        quoted + release.str() + "\n  %o = atomicrmw xchg ptr addrspace(1) %flag, i32 1 " + quoted +
                        "monotonic\n  br label %end\nspin:\n  %seen = atomicrmw add ptr addrspace(1) %flag, i32 0 " +
                        quoted +
                        "monotonic\n  %waiting = icmp eq i32 %seen, 0\n  br i1 %waiting, label %spin, label "
                        "%receiver\nreceiver:\n  fence " +
                        quoted +
                        "acquire\n  %v = load i32, ptr addrspace(1) %data\n  store i32 %v, ptr addrspace(1) %out\n"
                        "  br label %end\nend:\n  ret void\n",
                    1, 64)
        .report;
  };
  EXPECT_EQ(pass("block", "release"), "");
  EXPECT_EQ(pass("device", "release"), "");
  EXPECT_NE(pass("block", "acquire"), "");
}

/// What an increment finds at a place stays released there; a store replaces it.
TEST(Synchronization, IncrementsContinueARelease) {
  auto pass = [](llvm::StringRef between) {
    return simulate((R"(
  %which = icmp eq i32 %p, 1
  br i1 %isFirst, label %sender, label %other
sender:
  store i32 7, ptr addrspace(1) %data
  fence syncscope("device") release
  %o = atomicrmw xchg ptr addrspace(1) %flag, i32 1 syncscope("device") monotonic
  ret void
other:
  %goal = select i1 %which, i32 1, i32 2
  br label %spin
spin:
  %seen = atomicrmw add ptr addrspace(1) %flag, i32 0 syncscope("device") monotonic
  %waiting = icmp ne i32 %seen, %goal
  br i1 %waiting, label %spin, label %go
go:
  br i1 %which, label %middle, label %receiver
middle:
)" + between + R"(
  ret void
receiver:
  fence syncscope("device") acquire
  %v = load i32, ptr addrspace(1) %data
  store i32 %v, ptr addrspace(1) %out
  ret void
)")
                        .str(),
                    3)
        .report;
  };
  EXPECT_EQ(pass(R"(%x = atomicrmw add ptr addrspace(1) %flag, i32 1 syncscope("device") monotonic)"), "");
  EXPECT_NE(pass("store volatile i32 2, ptr addrspace(1) %flag"), "");
  // A warp that acquires and then releases passes on what it has acquired.
  EXPECT_EQ(pass("fence syncscope(\"device\") acq_rel\nstore volatile i32 2, ptr addrspace(1) %flag"), "");
}

/// Every program adds its part; the last to come reads the sum.
std::string splitSum(llvm::StringRef release, llvm::StringRef acquire) {
  return ("  %s = atomicrmw add ptr addrspace(1) %data, i32 5 syncscope(\"device\") monotonic\n" + release +
          "  %c = atomicrmw add ptr addrspace(1) %flag, i32 1 syncscope(\"device\") monotonic\n" + acquire +
          "\n  %all = sub i32 %n, 1\n  %last = icmp eq i32 %c, %all\n  br i1 %last, label %sum, label %end\nsum:\n"
          "  %v = load i32, ptr addrspace(1) %data\n  store i32 %v, ptr addrspace(1) %out\n  br label %end\n"
          "end:\n  ret void\n")
      .str();
}

TEST(Synchronization, SplitSums) {
  for (unsigned programs : {2u, 20u, 300u}) {
    Outcome outcome = simulate(splitSum(releaseFence, acquireFence), programs);
    EXPECT_EQ(outcome.report, "");
    EXPECT_EQ(outcome.out[0], 5 * programs);
    EXPECT_NE(simulate(splitSum("", acquireFence), programs).report, "");
    EXPECT_NE(simulate(splitSum(releaseFence, ""), programs).report, "");
  }
}

/// Only the first program does not release, so the others do not know what it did.
TEST(Synchronization, OneMissingReleaseAmongMany) {
  std::string body = R"(
  %s = atomicrmw add ptr addrspace(1) %data, i32 5 syncscope("device") monotonic
  br i1 %isFirst, label %count, label %release
release:
  fence syncscope("device") release
  br label %count
)";
  std::string rest = splitSum("", acquireFence);
  EXPECT_NE(simulate(body + "count:\n" + rest.substr(rest.find("  %c = ")), 20).report, "");
}

std::string locked(llvm::StringRef acquire, llvm::StringRef unlock) {
  return (R"(
  br label %spin
spin:
  %r = cmpxchg ptr addrspace(1) %flag, i32 0, i32 1 syncscope("device") monotonic monotonic
  %taken = extractvalue {i32, i1} %r, 1
  br i1 %taken, label %work, label %spin
work:
)" + acquire +
          R"(
  %v = load i32, ptr addrspace(1) %data
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %data
)" + unlock +
          "\n  ret void\n")
      .str();
}

TEST(Synchronization, Locks) {
  constexpr llvm::StringLiteral unlock =
      "  %u = atomicrmw xchg ptr addrspace(1) %flag, i32 0 syncscope(\"device\") monotonic";
  for (unsigned programs : {3u, 100u}) {
    Outcome outcome = simulate(locked(acquireFence, releaseFence.str() + unlock.str()), programs);
    EXPECT_EQ(outcome.report, "");
    EXPECT_EQ(outcome.data[0], programs);
    EXPECT_NE(simulate(locked("", releaseFence.str() + unlock.str()), programs).report, "");
    EXPECT_NE(simulate(locked(acquireFence, unlock), programs).report, "");
    EXPECT_NE(
        simulate(locked(acquireFence, releaseFence.str() + "  store i32 0, ptr addrspace(1) %flag"), programs).report,
        "");
  }
}

/// A barrier of a program carries what its warps have done, and what one of them has acquired.
TEST(Synchronization, BarriersCarryItOn) {
  auto pass = [](llvm::StringRef before, llvm::StringRef after) {
    return simulate(("  %one = icmp eq i32 %t, 0\n  %other = icmp eq i32 %t, 32\n"
                     "  br i1 %isFirst, label %sender, label %receiver\nsender:\n"
                     "  br i1 %other, label %write, label %written\nwrite:\n  store i32 7, ptr addrspace(1) %data\n"
                     "  br label %written\nwritten:\n" +
                     before +
                     "  br i1 %one, label %raise, label %end\nraise:\n"
                     "  fence syncscope(\"device\") release\n" +
                     raise + "\n  br label %end\nreceiver:\n  br i1 %one, label %spin, label %meet\nspin:\n" + look +
                     "\n  %waiting = icmp eq i32 %seen, 0\n  br i1 %waiting, label %spin, label %found\nfound:\n" +
                     acquireFence + "\n  br label %meet\nmeet:\n" + after +
                     "  br i1 %other, label %read, label %end\nread:\n  %v = load i32, ptr addrspace(1) %data\n"
                     "  store i32 %v, ptr addrspace(1) %out\n  br label %end\nend:\n  ret void\n")
                        .str(),
                    2, 64)
        .report;
  };
  constexpr llvm::StringLiteral barrier = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
  EXPECT_EQ(pass(barrier, barrier), "");
  EXPECT_NE(pass("", barrier), "");
  EXPECT_NE(pass(barrier, ""), "");
}

/// Accesses before the release are ordered, those after it are not.
TEST(Synchronization, WhatFollowsAReleaseIsNotOrdered) {
  std::string send = releaseFence.str() + raise.str() + "\n  store i32 8, ptr addrspace(1) %data";
  EXPECT_NE(simulate(passMessage(send, look, acquireFence), 2).report, "");
}

TEST(ClusterClocks, JoinTakesTheGreatest) {
  std::mt19937 random(1);
  std::vector<std::pair<ClusterClocks, std::map<uint64_t, std::array<uint32_t, 3>>>> values(1);
  for (unsigned i = 0; i < 400; ++i) {
    uint64_t cluster = random() % (i % 3 == 0 ? 20 : i % 3 == 1 ? 5000 : 1u << 27);
    std::array<uint32_t, 3> times;
    for (uint32_t &time : times)
      time = uint32_t(random() % 4);
    auto [clocks, model] = values[random() % values.size()];
    const auto &[other, otherModel] = values[random() % values.size()];
    clocks = clocks.join(other);
    if (i % 2 == 0)
      clocks = clocks.join(ClusterClocks(cluster, times));
    else
      for (unsigned warp = 0; warp < 3; ++warp) // what shares memory stays as it is
        clocks.raise(cluster, warp, times[warp]);
    auto add = [&](uint64_t number, const std::array<uint32_t, 3> &added) {
      for (unsigned warp = 0; warp < 3; ++warp)
        model[number][warp] = std::max(model[number][warp], added[warp]);
    };
    for (const auto &[number, added] : otherModel)
      add(number, added);
    add(cluster, times);
    for (const auto &[number, expected] : model)
      ASSERT_EQ(clocks.times(number), llvm::ArrayRef<uint32_t>(expected));
    std::size_t count = 0;
    ASSERT_TRUE(clocks.all([&](uint64_t number, llvm::ArrayRef<uint32_t>) { return ++count, model.contains(number); }));
    ASSERT_EQ(count, model.size());
    ASSERT_TRUE(clocks.times(uint64_t(1) << 27).empty());
    ASSERT_TRUE(clocks.join(other).isSame(clocks));
    values.push_back({std::move(clocks), std::move(model)});
  }
}

} // namespace
} // namespace triton::simulator
