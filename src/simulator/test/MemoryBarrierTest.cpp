// Barriers in shared memory: the answers of an H200 (data/mbarrier.json), what barriers order, and their wrong uses.
#include "Answers.h"
#include "Harness.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {
namespace {

constexpr llvm::StringLiteral prologue = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.drop.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.noComplete.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.scope.cta.space.cta(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.arrive.scope.cluster.space.cluster(ptr addrspace(7), i32)
declare void @llvm.nvvm.mbarrier.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.mbarrier.complete.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare i32 @llvm.nvvm.mbarrier.pending.count(i64)
declare i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3), i64)
declare i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(ptr addrspace(3))
@shared = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = lshr i32 %t, 5
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %full = getelementptr i8, ptr addrspace(3) @shared, i32 0
  %empty = getelementptr i8, ptr addrspace(3) @shared, i32 8
  %data = getelementptr i8, ptr addrspace(3) @shared, i32 1024
  %lane = and i32 %t, 31
  %mine = getelementptr i32, ptr addrspace(3) %data, i32 %lane
)";

struct BarrierRun : CheckedRun {
  std::vector<uint32_t> in = std::vector<uint32_t>(1024), out = std::vector<uint32_t>(1024);

  explicit BarrierRun(const std::string &body, unsigned threads = 64) {
    for (auto [i, word] : llvm::enumerate(in))
      word = uint32_t(i) * 7;
    auto program = decodeText((prologue + body + "\n  ret void\n}\n").str());
    if (!program)
      return;
    LaunchConfiguration configuration;
    configuration.threads = threads;
    configuration.dynamicSharedBytes = 8192;
    result = launch(*program, configuration, {addressOf(in), addressOf(out)},
                    {allocationOf(in, "in"), allocationOf(out, "out")});
  }
};

//===--- Answers of the hardware ----------------------------------------------------------------------------------===//

/// The call for one step of a script, whose value is %v<n>. Empty if the simulator waits instead of giving up.
std::string stepText(llvm::StringRef operation, int64_t argument, unsigned n) {
  auto simple = [&](llvm::StringRef name, llvm::StringRef type, bool hasArgument) {
    std::string call = llvm::formatv("call {0} @llvm.nvvm.mbarrier.{1}(ptr addrspace(3) %full{2})\n", type, name,
                                     hasArgument ? llvm::formatv(", i32 {0}", argument).str() : std::string())
                           .str();
    return type == "void" ? "  " + call : llvm::formatv("  %r{0} = {1}", n, call).str();
  };
  auto token = [&](llvm::StringRef arrival) { // the last one lies in local memory
    return arrival.str() + llvm::formatv("  store i64 %r{0}, ptr %token\n", n).str();
  };
  if (operation == "init count")
    return simple("init.shared", "void", true);
  if (operation == "arrive")
    return token(simple("arrive.shared", "i64", false));
  if (operation == "arrive count")
    return token(simple("arrive.scope.cta.space.cta", "i64", true));
  if (operation == "arrive.noComplete count")
    return token(simple("arrive.noComplete.shared", "i64", true));
  if (operation == "arrive.expect_tx")
    return token(simple("arrive.expect.tx.scope.cta.space.cta", "i64", true));
  if (operation == "arrive_drop")
    return token(simple("arrive.drop.shared", "i64", false));
  if (operation == "expect_tx")
    return simple("expect.tx.scope.cta.space.cta", "void", true);
  if (operation == "complete_tx")
    return simple("complete.tx.scope.cta.space.cta", "void", true);
  std::string last = llvm::formatv("  %k{0} = load i64, ptr %token\n", n).str();
  if (operation == "pending_count(last token)")
    return last + llvm::formatv("  %v{0} = call i32 @llvm.nvvm.mbarrier.pending.count(i64 %k{0})\n", n).str();
  if (operation == "test_wait(last token)")
    return last + llvm::formatv("  %q{0} = call i1 @llvm.nvvm.mbarrier.test.wait.shared(ptr addrspace(3) %full, i64 "
                                "%k{0})\n  %v{0} = zext i1 %q{0} to i32\n",
                                n)
                      .str();
  return "";
}

TEST(MemoryBarrier, Answers) {
  unsigned checked = 0;
  for (const auto &[name, value] : loadAnswers("mbarrier.json")) {
    const llvm::json::Array *script = value.getAsArray();
    if (!script)
      continue;
    std::string text =
        "  %token = alloca i64\n  %one = icmp eq i32 %t, 0\n  br i1 %one, label %run, label %end\nrun:\n";
    std::vector<std::array<std::optional<uint32_t>, 3>> expected;
    for (const llvm::json::Value &step : *script) {
      const llvm::json::Object &entry = *step.getAsObject();
      auto n = unsigned(expected.size());
      std::string call = stepText(*entry.getString("op"), *entry.getInteger("arg"), n);
      if (call.empty())
        break;
      bool hasValue = call.find(llvm::formatv("%v{0} =", n).str()) != std::string::npos;
      expected.push_back({uint32_t(*entry.getInteger("p0")), uint32_t(*entry.getInteger("p1")), std::nullopt});
      text += call;
      auto keep = [&](unsigned i, const std::string &result) {
        text += llvm::formatv("  %a{0}x{1} = getelementptr i32, ptr addrspace(1) %out, i32 {2}\n  store i32 {3}, ptr "
                              "addrspace(1) %a{0}x{1}\n",
                              n, i, 3 * n + i, result)
                    .str();
      };
      for (unsigned parity : {0u, 1u}) {
        text += llvm::formatv("  %p{0}x{1} = call i1 @llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta(ptr "
                              "addrspace(3) %full, i32 {1})\n  %e{0}x{1} = zext i1 %p{0}x{1} to i32\n",
                              n, parity)
                    .str();
        keep(parity, llvm::formatv("%e{0}x{1}", n, parity));
      }
      if (hasValue) {
        keep(2, llvm::formatv("%v{0}", n));
        uint32_t answer = 0;
        entry.getString("value")->getAsInteger(16, answer);
        expected.back()[2] = answer;
      }
    }
    BarrierRun run(text + "  br label %end\nend:\n", 32);
    run.expectNoFindings();
    for (auto [n, answers] : llvm::enumerate(expected))
      for (unsigned i = 0; i < 3; ++i)
        if (answers[i]) {
          EXPECT_EQ(run.out[3 * n + i], *answers[i]) << name.str() << " step " << n << " value " << i;
          ++checked;
        }
  }
  EXPECT_GT(checked, 120u);
}

//===--- Order ----------------------------------------------------------------------------------------------------===//

/// Warp 0 leaves four rounds of numbers for warp 1. The defaults are the correct parts.
struct Ring {
  std::string meet = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
  unsigned fullArrivals = 32;
  std::string waitsForEmpty = "xor i32 %parity, 1", waitsForFull = "add i32 %parity, 0";
  std::string freesSlot = "  %freed = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) %empty)\n";
};

std::string ringText(const Ring &ring) {
  return llvm::formatv(R"(
  %one = icmp eq i32 %t, 0
  br i1 %one, label %init, label %start
init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %full, i32 {0})
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %empty, i32 32)
  br label %start
start:
{1}
  %isProducer = icmp eq i32 %w, 0
  br i1 %isProducer, label %produce, label %consume
produce:
  %i = phi i32 [ 0, %start ], [ %i1, %produced ]
  %parity = and i32 %i, 1
  %pe = {2}
  br label %waitEmpty
waitEmpty:
  %free = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) %empty, i32 %pe)
  br i1 %free, label %produced, label %waitEmpty
produced:
  %scaled = mul i32 %i, 100
  %value = add i32 %scaled, %lane
  store i32 %value, ptr addrspace(3) %mine
  %there = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) %full)
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 4
  br i1 %more, label %produce, label %end
consume:
  %j = phi i32 [ 0, %start ], [ %j1, %consumed ]
  %sum = phi i32 [ 0, %start ], [ %sum1, %consumed ]
  %jparity = and i32 %j, 1
  %pf = {3}
  br label %waitFull
waitFull:
  %ready = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) %full, i32 %pf)
  br i1 %ready, label %consumed, label %waitFull
consumed:
  %other = xor i32 %lane, 1
  %theirs = getelementptr i32, ptr addrspace(3) %data, i32 %other
  %got = load i32, ptr addrspace(3) %theirs
  %sum1 = add i32 %sum, %got
{4}
  %j1 = add i32 %j, 1
  %again = icmp ult i32 %j1, 4
  br i1 %again, label %consume, label %store
store:
  store i32 %sum1, ptr addrspace(1) %po
  br label %end
end:
)",
                       ring.fullArrivals, ring.meet, ring.waitsForEmpty,
                       llvm::StringRef(ring.waitsForFull).starts_with("add") ? "add i32 %jparity, 0"
                                                                             : "xor i32 %jparity, 1",
                       ring.freesSlot)
      .str();
}

TEST(MemoryBarrier, OrdersARing) {
  BarrierRun run(ringText({}));
  run.expectNoFindings();
  for (uint32_t t = 32; t < 64; ++t)
    EXPECT_EQ(run.out[t], 600 + 4 * (t % 32 ^ 1));
}

TEST(MemoryBarrier, InitializationIsOrderedByABarrier) {
  BarrierRun(ringText({.meet = ""})).expect(FindingKind::SharedRace, "which another warp initialized");
}

TEST(MemoryBarrier, TheWrongParity) {
  BarrierRun(ringText({.waitsForFull = "xor"}))
      .expect(FindingKind::Deadlock, "phase 1 of the mbarrier at shared byte 0 waits for 32 of 32 arrivals");
  // A producer that begins with parity 0 waits for consumers, which wait for it.
  BarrierRun(ringText({.waitsForEmpty = "add i32 %parity, 0"}))
      .expect(FindingKind::Deadlock, "phase 0 of the mbarrier at shared byte 8 waits for 32 of 32 arrivals");
}

TEST(MemoryBarrier, CountsArrivals) {
  BarrierRun(ringText({.fullArrivals = 33}))
      .expect(FindingKind::Deadlock, "phase 0 of the mbarrier at shared byte 0 waits for 1 of 33 arrivals");
  BarrierRun(ringText({.freesSlot = ""}))
      .expect(FindingKind::Deadlock, "phase 0 of the mbarrier at shared byte 8 waits for 32 of 32 arrivals");
}

//===--- Wrong uses -----------------------------------------------------------------------------------------------===//

/// Steps of one thread.
BarrierRun runSteps(const std::string &steps) {
  return BarrierRun("  %one = icmp eq i32 %t, 0\n  br i1 %one, label %run, label %end\nrun:\n" + steps +
                        "  br label %end\nend:\n",
                    32);
}
std::string init(unsigned count) {
  return llvm::formatv("  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %full, i32 {0})\n", count).str();
}
std::string step(llvm::StringRef type, llvm::StringRef name, unsigned argument) {
  return llvm::formatv("  call {0} @llvm.nvvm.mbarrier.{1}.scope.cta.space.cta(ptr addrspace(3) %full, i32 {2})\n",
                       type, name, argument)
      .str();
}

TEST(MemoryBarrier, Misuses) {
  runSteps(step("i64", "arrive", 1)).expect(FindingKind::BarrierMisuse, "no mbarrier has been initialized");
  runSteps(init(1) + init(1)).expect(FindingKind::BarrierMisuse, "initialized again without `mbarrier.inval`");
  runSteps(init(1) + "  call void @llvm.nvvm.mbarrier.inval.shared(ptr addrspace(3) %full)\n" + init(1))
      .expectNoFindings();
  runSteps(init(0)).expect(FindingKind::BarrierMisuse, "an mbarrier for 0 arrivals");
  runSteps(init(2) + step("i64", "arrive", 3)).expect(FindingKind::BarrierMisuse, "3 arrivals at the mbarrier");
  runSteps(init(1) + step("i64", "arrive.expect.tx", 64) + step("void", "complete.tx", 128))
      .expect(FindingKind::BarrierMisuse,
              "a copy of 128 bytes ends at the mbarrier at shared byte 0, which waits for 64");
  runSteps(init(1) + step("i64", "arrive.expect.tx", 64) + step("void", "complete.tx", 48) +
           "  %p = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) %full, i32 0)\n")
      .expect(FindingKind::Deadlock, "waits for 0 of 1 arrivals and for 16 bytes");
  runSteps(init(1) + "  %v = call i64 @llvm.nvvm.mbarrier.arrive.noComplete.shared(ptr addrspace(3) %full, i32 1)\n")
      .expect(FindingKind::BarrierMisuse, "with `.noComplete` ends the phase");
}

/// The consumer waits for phase 0 and has not continued when phase 1 ends.
TEST(MemoryBarrier, PhasesThatAreMissed) {
  BarrierRun(R"(
  %one = icmp eq i32 %t, 32
  br i1 %one, label %init, label %start
init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %full, i32 1)
  br label %start
start:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %isWaiter = icmp eq i32 %w, 0
  br i1 %isWaiter, label %wait, label %other
wait:
  %p = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) %full, i32 0)
  br label %end
other:
  br i1 %one, label %arrive, label %end
arrive:
  %first = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) %full)
  %second = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) %full)
  br label %end
end:
)")
      .expect(FindingKind::BarrierMisuse,
              "the warp waits for phase 0 of the mbarrier at shared byte 0, which has ended");
}

//===--- Inline assembly, copies, clusters ------------------------------------------------------------------------===//

TEST(MemoryBarrier, InlineAssembly) {
  BarrierRun run(R"(
  %address = ptrtoint ptr addrspace(3) %full to i32
  %one = icmp eq i32 %t, 0
  call void asm sideeffect "@$0 mbarrier.init.shared::cta.b64 [$1], 2;", "b,r"(i1 %one, i32 %address)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %second = icmp eq i32 %t, 32
  br i1 %second, label %produce, label %consume
produce:
  store i32 77, ptr addrspace(3) %data
  call void asm sideeffect "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 16;", "r"(i32 %address)
  %state = call i64 asm sideeffect "mbarrier.arrive.release.cta.shared::cta.b64 $0, [$1+0], 1;", "=l,r"(i32 %address)
  call void asm sideeffect "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [$0], 16;", "r"(i32 %address)
  br label %consume
consume:
  %done = call i32 asm sideeffect "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [$1], 0; selp.b32 $0, 1, 0, p; }", "=r,r"(i32 %address)
  %v = load i32, ptr addrspace(3) %data
  %r = add i32 %v, %done
  store i32 %r, ptr addrspace(1) %po
)");
  run.expectNoFindings();
  EXPECT_EQ(run.out[5], 78u);
  EXPECT_EQ(run.out[40], 78u);
}

/// Others see a warp's copies when its arrival is complete.
TEST(MemoryBarrier, CopiesArrive) {
  for (bool waits : {true, false}) {
    BarrierRun run(llvm::formatv(R"(
  %one = icmp eq i32 %t, 0
  br i1 %one, label %init, label %start
init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %full, i32 32)
  br label %start
start:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %isProducer = icmp eq i32 %w, 0
  br i1 %isProducer, label %produce, label %consume
produce:
  %to = getelementptr [4 x i32], ptr addrspace(3) %data, i32 %lane
  %from = getelementptr [4 x i32], ptr addrspace(1) %in, i32 %lane
  call void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3) %to, ptr addrspace(1) %from)
  call void @llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared(ptr addrspace(3) %full)
  br label %end
consume:
  {0}
  %v = load i32, ptr addrspace(3) %mine
  store i32 %v, ptr addrspace(1) %po
  br label %end
end:
)",
                                 waits ? "%p = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr "
                                         "addrspace(3) %full, i32 0)"
                                       : "")
                       .str());
    if (!waits) {
      run.expect(FindingKind::SharedRace, "which another warp accessed");
      continue;
    }
    run.expectNoFindings();
    EXPECT_EQ(run.out[40], 8u * 7);
  }
}

} // namespace
} // namespace triton::simulator
