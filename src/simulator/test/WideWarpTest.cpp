// Warps of 64 lanes, with an instruction set that contains only what these kernels need. No part of the core knows the
// number of lanes, or a target.
#include "Harness.h"

#include "simulator/core/Decoder.h"
#include "simulator/core/Warp.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

namespace triton::simulator {
namespace {

/// shuffle(value, distance): the value of the lane whose number differs by these bits.
void shuffle(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  const auto *values = warp.read<uint32_t>(list.inputs[0]), *distances = warp.read<uint32_t>(list.inputs[1]);
  std::vector<uint32_t> moved(warp.program.laneCount);
  for (unsigned lane = 0; lane < moved.size(); ++lane)
    moved[lane] = values[(lane ^ distances[lane]) % moved.size()];
  warp.forEachLane<uint32_t>(list.outputs[0], [&](unsigned lane) { return moved[lane]; });
}

/// ballot(condition): the lanes for which it holds.
void ballot(Warp &warp, const DecodedInstruction &instruction) {
  const auto &list = *static_cast<const OperandList *>(instruction.detail);
  LaneMask lanes = warp.readMask(list.inputs[0]) & warp.active;
  warp.forEachLane<uint64_t>(list.outputs[0], [&](unsigned) { return lanes; });
}

/// A barrier that another part of the project could add. Its phase ends when a number of bytes has arrived.
class ByteBarrier final : public Barrier {
public:
  ByteBarrier(unsigned expected, unsigned warps) : Barrier("the barrier of bytes", warps), expected(expected) {}
  void addBytes(Warp &warp, unsigned bytes) {
    warp.clock.release(gathered);
    come += bytes;
    endCompletePhase();
  }
  std::string describe() const override { return std::to_string(come) + " bytes have come"; }

private:
  bool isComplete() const override { return come >= expected; }
  void complete() override { come -= expected; }
  unsigned expected, come = 0;
};

std::unique_ptr<ByteBarrier> byteBarrier;

void sendBytes(Warp &warp, const DecodedInstruction &) { byteBarrier->addBytes(warp, 4 * warp.program.laneCount); }
void awaitBytes(Warp &warp, const DecodedInstruction &instruction) {
  warp.waitFor(*byteBarrier, 0, instruction.location);
}

class WideInstructionSet final : public InstructionSet {
public:
  bool isKernel(const llvm::Function &) const override { return true; }
  unsigned requiredThreads(const llvm::Function &) const override { return 0; }
  unsigned laneCount(const llvm::Function &) const override { return 64; }
  llvm::Expected<bool> decodeCall(Decoder &decoder, const llvm::CallInst &call, llvm::StringRef callee) const override {
    if (callee == "shuffle" || callee == "ballot") {
      if (llvm::Error error = decoder.decodeWithList(call, callee == "shuffle" ? &shuffle : &ballot))
        return std::move(error);
      return true;
    }
    auto effect = llvm::StringSwitch<Handler>(callee)
                      .Case("barrier", barrierHandler())
                      .Case("send", &sendBytes)
                      .Case("await", &awaitBytes)
                      .Default(nullptr);
    if (effect) {
      decoder.emit(effect);
      return true;
    }
    auto handler = llvm::StringSwitch<Handler>(callee)
                       .Case("thread", threadIdHandler())
                       .Case("lane", laneIdHandler())
                       .Case("warp", warpIdHandler())
                       .Case("program", programIdHandler(0))
                       .Default(nullptr);
    if (handler)
      decoder.emit(handler, decoder.defineNew(&call).front());
    return handler != nullptr;
  }
  llvm::Error decodeAssembly(Decoder &decoder, const llvm::CallInst &call, const llvm::InlineAsm &) const override {
    return decoder.unsupported(call);
  }
};

constexpr llvm::StringLiteral prologue = R"(
declare i32 @thread()
declare i32 @lane()
declare i32 @warp()
declare i32 @program()
declare i32 @shuffle(i32, i32)
declare i64 @ballot(i1)
declare void @barrier()
declare void @send()
declare void @await()
declare <2 x i32> @llvm.masked.load.v2i32.p1(ptr addrspace(1), <2 x i1>, <2 x i32>)
@shared = external addrspace(3) global [0 x i8], align 1024
define void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @thread()
  %l = call i32 @lane()
  %w = call i32 @warp()
  %p = call i32 @program()
)";

struct WideRun : CheckedRun {
  std::vector<uint32_t> in, out;

  WideRun(llvm::StringRef body, unsigned threads, unsigned programs = 1, uint32_t n = 0)
      : in(threads * programs), out(threads * programs) {
    std::iota(in.begin(), in.end(), 1u);
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString((prologue + body).str(), diagnostic, context);
    if (!module) {
      ADD_FAILURE() << diagnostic.getMessage().str() << "\n" << diagnostic.getLineContents().str();
      return;
    }
    auto program = Program::decode(*module, "", WideInstructionSet());
    if (!program) {
      ADD_FAILURE() << llvm::toString(program.takeError());
      return;
    }
    LaunchConfiguration configuration;
    configuration.grid = {programs, 1, 1};
    configuration.threads = threads;
    configuration.dynamicSharedBytes = 4 * threads;
    result = launch(**program, configuration, {addressOf(in), addressOf(out), n},
                    {allocationOf(in, "in"), allocationOf(out, "out")});
  }
};

TEST(WideWarp, ElementwiseWithATail) {
  WideRun run(R"(
  %base = mul i32 %p, 128
  %i = add i32 %base, %t
  %inside = icmp ult i32 %i, %n
  br i1 %inside, label %body, label %end
body:
  %pi = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %i
  %v = load i32, ptr addrspace(1) %pi, align 4
  %f = uitofp i32 %v to float
  %g = fmul float %f, 2.0
  %wide = fptosi float %g to i64
  %odd = trunc i32 %v to i1
  %plus = select i1 %odd, i64 %wide, i64 7
  %bit = zext i1 %odd to i64
  %sum = add i64 %plus, %bit
  %r = trunc i64 %sum to i32
  store i32 %r, ptr addrspace(1) %po, align 4
  br label %end
end:
  ret void
}
)",
              128, 3, 333);
  run.expectNoFindings();
  for (uint32_t i = 0; i < run.out.size(); ++i)
    EXPECT_EQ(run.out[i], i >= 333 ? 0 : run.in[i] % 2 ? 2 * run.in[i] + 1 : 7) << i;
}

/// Within warps by shuffles, then across them through shared memory.
TEST(WideWarp, Reduction) {
  std::string body = "  %pi = getelementptr i32, ptr addrspace(1) %in, i32 %t\n"
                     "  %s64 = load i32, ptr addrspace(1) %pi, align 4\n";
  for (unsigned distance = 32; distance != 0; distance /= 2) {
    std::string from = "%s" + std::to_string(2 * distance), to = "%s" + std::to_string(distance);
    body +=
        llvm::formatv("  %o{0} = call i32 @shuffle(i32 {1}, i32 {0})\n  {2} = add i32 {1}, %o{0}\n", distance, from, to)
            .str();
  }
  WideRun run(body + R"(
  %first = icmp eq i32 %l, 0
  %place = getelementptr i32, ptr addrspace(3) @shared, i32 %w
  br i1 %first, label %write, label %meet
write:
  store i32 %s1, ptr addrspace(3) %place, align 4
  br label %meet
meet:
  call void @barrier()
  %all = load <4 x i32>, ptr addrspace(3) @shared, align 16
  %e0 = extractelement <4 x i32> %all, i32 0
  %e1 = extractelement <4 x i32> %all, i32 1
  %e2 = extractelement <4 x i32> %all, i32 2
  %e3 = extractelement <4 x i32> %all, i32 3
  %a = add i32 %e0, %e1
  %b = add i32 %e2, %e3
  %c = add i32 %a, %b
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %c, ptr addrspace(1) %po, align 4
  ret void
}
)",
              256);
  run.expectNoFindings();
  EXPECT_EQ(run.out, std::vector<uint32_t>(256, 256 * 257 / 2));
}

/// Every lane repeats a loop as often as its number says, and then takes one of three paths.
TEST(WideWarp, Divergence) {
  WideRun run(R"(
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %more = add i32 %sum, %i
  %next = add i32 %i, 1
  %go = icmp ule i32 %next, %l
  br i1 %go, label %loop, label %choose
choose:
  switch i32 %l, label %other [ i32 5, label %five
                                i32 60, label %sixty ]
five:
  br label %end
sixty:
  br label %end
other:
  br label %end
end:
  %r = phi i32 [ 1000, %five ], [ 2000, %sixty ], [ %more, %other ]
  %odd = trunc i32 %l to i1
  %mask = call i64 @ballot(i1 %odd)
  %count = call i64 @llvm.ctpop.i64(i64 %mask)
  %c = trunc i64 %count to i32
  %total = add i32 %r, %c
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %total, ptr addrspace(1) %po, align 4
  ret void
}
declare i64 @llvm.ctpop.i64(i64)
)",
              128);
  run.expectNoFindings();
  for (uint32_t t = 0; t < 128; ++t) {
    uint32_t lane = t % 64;
    EXPECT_EQ(run.out[t], 32 + (lane == 5 ? 1000 : lane == 60 ? 2000 : lane * (lane + 1) / 2)) << t;
  }
}

/// LLVM makes such an instruction where both values have a path, and the default has none.
TEST(WideWarp, ChoiceByOneBit) {
  WideRun run(R"(
  %odd = trunc i32 %l to i1
  switch i1 %odd, label %none [ i1 true, label %first
                                i1 false, label %second ]
none:
  unreachable
first:
  br label %end
second:
  br label %end
end:
  %r = phi i32 [ 1000, %first ], [ 2000, %second ]
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %r, ptr addrspace(1) %po, align 4
  ret void
}
)",
              128);
  run.expectNoFindings();
  for (uint32_t t = 0; t < 128; ++t)
    EXPECT_EQ(run.out[t], t % 2 ? 1000u : 2000u) << t;
}

std::string exchange(unsigned distance, bool withBarrier) {
  return "  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %t\n"
         "  store i32 %t, ptr addrspace(3) %mine, align 4\n" +
         std::string(withBarrier ? "  call void @barrier()\n" : "") + "  %other = xor i32 %t, " +
         std::to_string(distance) + R"(
  %theirs = getelementptr i32, ptr addrspace(3) @shared, i32 %other
  %v = load i32, ptr addrspace(3) %theirs, align 4
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %po, align 4
  ret void
}
)";
}

/// Lanes 0 and 32 run in one warp, which needs no barrier.
TEST(WideWarp, RacesAreBetweenWarps) {
  WideRun within(exchange(32, false), 128);
  within.expectNoFindings();
  EXPECT_EQ(within.out[100], 100u ^ 32);
  WideRun synchronized(exchange(64, true), 128);
  synchronized.expectNoFindings();
  EXPECT_EQ(synchronized.out[100], 100u ^ 64);
  WideRun racing(exchange(64, false), 128);
  EXPECT_TRUE(llvm::any_of(racing.result.findings, [](const Finding &f) { return f.kind == FindingKind::SharedRace; }));
}

TEST(WideWarp, ReportsAPartOfAWarpAtABarrier) {
  WideRun run(R"(
  %low = icmp ult i32 %l, 8
  br i1 %low, label %wait, label %end
wait:
  call void @barrier()
  br label %end
end:
  ret void
}
)",
              64);
  ASSERT_EQ(run.result.findings.size(), 1u);
  EXPECT_NE(run.result.findings[0].detail.find("lanes 0x00000000000000ff of the warp are here and 0xffffffffffffff00"),
            std::string::npos)
      << run.result.findings[0].detail;
}

/// A thread's number in a report is computed with 64 lanes in a warp.
TEST(WideWarp, NamesTheThread) {
  WideRun run(R"(
  %past = icmp eq i32 %t, 127
  %far = select i1 %past, i32 1000, i32 %t
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %far
  store i32 1, ptr addrspace(1) %po, align 4
  ret void
}
)",
              128);
  ASSERT_EQ(run.result.findings.size(), 1u);
  EXPECT_EQ(run.result.findings[0].thread, 127u);
}

TEST(WideWarp, AtomicsAndMaskedAccesses) {
  WideRun run(R"(
  %count = atomicrmw add ptr addrspace(1) %out, i32 1 monotonic
  %pair = and i32 %t, 62
  %pi = getelementptr i32, ptr addrspace(1) %in, i32 %pair
  %high = icmp uge i32 %l, 32
  %m0 = insertelement <2 x i1> poison, i1 %high, i32 0
  %m = insertelement <2 x i1> %m0, i1 true, i32 1
  %v = call <2 x i32> @llvm.masked.load.v2i32.p1(ptr addrspace(1) align 8 %pi, <2 x i1> %m, <2 x i32> <i32 100, i32 200>)
  %a = extractelement <2 x i32> %v, i32 0
  %b = extractelement <2 x i32> %v, i32 1
  %sum = add i32 %a, %b
  %rest = icmp ne i32 %t, 0
  br i1 %rest, label %write, label %end
write:
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %sum, ptr addrspace(1) %po, align 4
  br label %end
end:
  ret void
}
)",
              64);
  run.expectNoFindings();
  EXPECT_EQ(run.out[0], 64u);
  for (uint32_t t = 1; t < 64; ++t) {
    uint32_t pair = t & 62;
    EXPECT_EQ(run.out[t], pair + 2 + (t >= 32 ? pair + 1 : 100)) << t;
  }
}

/// Two warps write and send, a third one waits for the bytes of both, or of one.
TEST(WideWarp, ABarrierOfAnotherKind) {
  for (unsigned bytes : {512u, 256u, 1024u}) {
    byteBarrier = std::make_unique<ByteBarrier>(bytes, 3);
    WideRun run(R"(
  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  %last = icmp eq i32 %w, 2
  br i1 %last, label %wait, label %produce
produce:
  store i32 %t, ptr addrspace(3) %mine, align 4
  call void @send()
  br label %end
wait:
  call void @await()
  %first = getelementptr i32, ptr addrspace(3) @shared, i32 %l
  %second = getelementptr i32, ptr addrspace(3) %first, i32 64
  %a = load i32, ptr addrspace(3) %first, align 4
  %b = load i32, ptr addrspace(3) %second, align 4
  %sum = add i32 %a, %b
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %sum, ptr addrspace(1) %po, align 4
  br label %end
end:
  ret void
}
)",
                192);
    if (bytes == 512) {
      run.expectNoFindings();
      EXPECT_EQ(run.out[128 + 5], 5u + 69);
      continue;
    }
    ASSERT_EQ(run.result.findings.size(), 1u);
    EXPECT_EQ(run.result.findings[0].kind, bytes == 256 ? FindingKind::SharedRace : FindingKind::Deadlock);
    if (bytes == 1024)
      EXPECT_NE(run.result.findings[0].detail.find("waits at the barrier of bytes; 512 bytes have come"),
                std::string::npos)
          << run.result.findings[0].detail;
  }
}

} // namespace
} // namespace triton::simulator
