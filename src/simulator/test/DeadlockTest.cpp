// Programs that never stop waiting are reported. Programs that wait for a while are not.
#include "Harness.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {
namespace {

constexpr llvm::StringLiteral prologue = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
@shared = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @kernel(ptr addrspace(1) %flags) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %warp = lshr i32 %t, 5
  %counter = getelementptr i32, ptr addrspace(1) %flags, i32 8
)";

struct Waiting : CheckedRun {
  std::vector<uint32_t> flags = std::vector<uint32_t>(16);

  explicit Waiting(llvm::StringRef body, unsigned programs = 1, unsigned hostThreads = 0, unsigned threads = 64) {
    auto program = decodeText((prologue + body).str());
    if (!program)
      return;
    LaunchConfiguration configuration;
    configuration.grid = {programs, 1, 1};
    configuration.threads = threads;
    configuration.dynamicSharedBytes = 256;
    configuration.hostThreads = hostThreads;
    result = launch(*program, configuration, {addressOf(flags)}, {allocationOf(flags, "flags")});
  }

  void expectDeadlock(llvm::StringRef words) {
    auto found = llvm::find_if(result.findings, [](const Finding &f) { return f.kind == FindingKind::Deadlock; });
    ASSERT_NE(found, result.findings.end());
    EXPECT_NE(found->detail.find(words.str()), std::string::npos) << found->str();
  }
};

TEST(Deadlock, SpinOnAFlagThatNobodySets) {
  Waiting run(R"(
  br label %spin
spin:
  %v = load volatile i32, ptr addrspace(1) %flags, align 4
  %waiting = icmp eq i32 %v, 0
  br i1 %waiting, label %spin, label %end
end:
  ret void
}
)");
  run.expectDeadlock("waits for byte 0 of `flags` to change");
}

TEST(Deadlock, SpinOnALockThatIsNeverGivenBack) {
  for (unsigned programs : {1u, 300u}) { // more than wait at once
    Waiting run(R"(
  br label %spin
spin:
  %r = cmpxchg ptr addrspace(1) %flags, i32 1, i32 2 monotonic monotonic
  %taken = extractvalue {i32, i1} %r, 1
  br i1 %taken, label %end, label %spin
end:
  ret void
}
)",
                programs);
    run.expectDeadlock("waits for byte 0 of `flags` to change");
    EXPECT_EQ(run.result.findings[0].program[0], 0u);
  }
}

/// A program that spins may also store, as long as it stores the value that is already there.
TEST(Deadlock, SpinThatStoresTheSameAgain) {
  Waiting run(R"(
  br label %spin
spin:
  store i32 0, ptr addrspace(1) %counter, align 4
  %v = load volatile i32, ptr addrspace(1) %flags, align 4
  %waiting = icmp eq i32 %v, 0
  br i1 %waiting, label %spin, label %end
end:
  ret void
}
)",
              1, 0, 32);
  run.expectDeadlock("of `flags` to change");
}

/// One warp spins, the other waits for it at a barrier.
TEST(Deadlock, BarrierThatASpinningWarpNeverReaches) {
  Waiting run(R"(
  %first = icmp eq i32 %warp, 0
  br i1 %first, label %spin, label %meet
spin:
  %v = load volatile i32, ptr addrspace(1) %flags, align 4
  %waiting = icmp eq i32 %v, 0
  br i1 %waiting, label %spin, label %meet
meet:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
)");
  run.expectDeadlock("1 of 2 warps wait for it at a barrier");
}

/// A loop around barriers, as the lowering makes it of a scalar atomic operation.
TEST(Deadlock, LoopOfBarriers) {
  Waiting run(R"(
  br label %spin
spin:
  %v = load volatile i32, ptr addrspace(1) %flags, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %v, ptr addrspace(3) @shared, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %waiting = icmp eq i32 %v, 0
  br i1 %waiting, label %spin, label %end
end:
  ret void
}
)",
              1, 0, 32);
  run.expectDeadlock("waits for byte 0 of `flags` to change");
}

TEST(Deadlock, BarrierAfterAWarpHasEnded) {
  Waiting run(R"(
  %first = icmp eq i32 %warp, 0
  br i1 %first, label %end, label %meet
meet:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
end:
  ret void
}
)");
  ASSERT_EQ(run.result.findings.size(), 1u);
  EXPECT_EQ(run.result.findings[0].kind, FindingKind::DivergentBarrier);
  EXPECT_EQ(run.result.findings[0].thread, 32u);
  EXPECT_EQ(run.result.findings[0].detail, "1 of 2 warps of the program have ended and never reach it");
}

/// Program 0 waits until all others have come. On a GPU they would run beside it.
constexpr llvm::StringLiteral meeting = R"(
  %old = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  br label %spin
spin:
  %now = atomicrmw add ptr addrspace(1) %counter, i32 0 monotonic
  %waiting = icmp ult i32 %now, {0}
  br i1 %waiting, label %spin, label %end
end:
  ret void
}
)";

TEST(Deadlock, ProgramsThatWaitForLaterOnesMeet) {
  std::string body = llvm::formatv(false, meeting.data(), 100 * 64).str();
  Waiting run(body, 100);
  run.expectNoFindings();
  EXPECT_EQ(run.flags[8], 100u * 64);
}

/// The same through barriers, as the lowering makes it of scalar atomic operations.
TEST(Deadlock, ProgramsThatWaitAtBarriersMeet) {
  Waiting run(R"(
  %old = atomicrmw add ptr addrspace(1) %counter, i32 1 monotonic
  br label %spin
spin:
  %now = atomicrmw add ptr addrspace(1) %counter, i32 0 monotonic
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %now, ptr addrspace(3) @shared, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %waiting = icmp ult i32 %now, 640
  br i1 %waiting, label %spin, label %end
end:
  ret void
}
)",
              20, 0, 32);
  run.expectNoFindings();
}

TEST(Deadlock, MoreProgramsThanRunAtOnceDoNotMeet) {
  std::string body = llvm::formatv(false, meeting.data(), 1000 * 64).str();
  Waiting run(body, 1000);
  run.expectDeadlock("waits for byte 32 of `flags` to change");
}

/// A plain flag between programs is a race; the report is the same for any number of host threads.
TEST(Deadlock, FlagOfALaterProgram) {
  std::vector<std::string> reports;
  for (unsigned hostThreads : {1u, 2u, 4u}) {
    Waiting run(R"(
  %last = icmp eq i32 %p, 7
  br i1 %last, label %set, label %spin
set:
  store i32 1, ptr addrspace(1) %flags, align 4
  ret void
spin:
  %v = load volatile i32, ptr addrspace(1) %flags, align 4
  %waiting = icmp eq i32 %v, 0
  br i1 %waiting, label %spin, label %end
end:
  ret void
}
)",
                8, hostThreads);
    std::string &report = reports.emplace_back();
    for (const Finding &finding : run.result.findings)
      report += finding.str() + "\n";
    EXPECT_NE(report.find("race on global memory"), std::string::npos) << report;
    EXPECT_EQ(report.find("deadlock"), std::string::npos) << report;
  }
  EXPECT_TRUE(llvm::all_equal(reports));
}

/// A long loop that only computes is not a deadlock.
TEST(Deadlock, LongComputationsEnd) {
  Waiting run(R"(
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %go = icmp ult i32 %next, 3000000
  br i1 %go, label %loop, label %end
end:
  %mine = getelementptr i32, ptr addrspace(1) %flags, i32 %warp
  %lane = and i32 %t, 31
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %write, label %over
write:
  store i32 %next, ptr addrspace(1) %mine, align 4
  br label %over
over:
  ret void
}
)");
  run.expectNoFindings();
  EXPECT_EQ(run.flags[0], 3000000u);
  EXPECT_EQ(run.flags[1], 3000000u);
}

} // namespace
} // namespace triton::simulator
