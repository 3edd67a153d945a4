// A matrix product in the form of kernels for Hopper: a warp that copies boxes of both factors, a ring of mbarriers,
// and a warp group that multiplies. The simulator must find no error in it, and must find the right error if a part is
// missing.
#include "Harness.h"
#include "WarpGroupText.h"

#include "simulator/core/Numerics.h"
#include "simulator/core/TensorMap.h"

#include "llvm/ADT/STLExtras.h"

#include <random>

namespace triton::simulator {
namespace {

constexpr unsigned tile = 64, depth = 320, steps = depth / 64;

/// The parts that the tests leave out or change.
struct Parts {
  unsigned pending = 0; ///< groups of products that stay open in the loop; their stage is released one step later
  unsigned stageBytes = 16384;
  std::string waitForFull = R"(
  br label %poll
poll:
  %full = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) %fullBar, i32 %parity)
  br i1 %full, label %ready, label %poll
ready:
)";
  bool releasesEarly = false; ///< before the products have ended
};

constexpr llvm::StringLiteral prologue = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.fence.mbarrier_init.release.cluster()
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3))
declare i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
declare void @llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.2d(ptr addrspace(3), ptr addrspace(3), ptr, i32, i32, i64, i1)
declare void @llvm.nvvm.wgmma.fence.sync.aligned()
declare void @llvm.nvvm.wgmma.commit_group.sync.aligned()
declare void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64)
@shared = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @kernel(ptr byval([128 x i8]) align 64 %mapA, ptr byval([128 x i8]) align 64 %mapB, ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %fulls = getelementptr i8, ptr addrspace(3) @shared, i32 32768
  %empties = getelementptr i8, ptr addrspace(3) @shared, i32 32784
  %full1 = getelementptr i64, ptr addrspace(3) %fulls, i32 1
  %empty1 = getelementptr i64, ptr addrspace(3) %empties, i32 1
  %isProducer = icmp eq i32 %t, 128
  %isFirst = icmp eq i32 %t, 0
  br i1 %isFirst, label %init, label %start
init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %fulls, i32 1)
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %full1, i32 1)
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %empties, i32 1)
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %empty1, i32 1)
  call void @llvm.nvvm.fence.mbarrier_init.release.cluster()
  br label %start
start:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %copies = icmp uge i32 %t, 128
  br i1 %copies, label %producer, label %consumer
producer:
  br i1 %isProducer, label %copy, label %end
)";

std::string producerText(const Parts &parts) {
  return llvm::formatv(R"(
copy:
  %i = phi i32 [ 0, %producer ], [ %i1, %free ]
  %is = and i32 %i, 1
  %iround = lshr i32 %i, 1
  %iparity = and i32 %iround, 1
  %iwait = xor i32 %iparity, 1
  %ifull = getelementptr i64, ptr addrspace(3) %fulls, i32 %is
  %iempty = getelementptr i64, ptr addrspace(3) %empties, i32 %is
  br label %pollEmpty
pollEmpty:
  %isFree = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) %iempty, i32 %iwait)
  br i1 %isFree, label %free, label %pollEmpty
free:
  %announced = call i64 @llvm.nvvm.mbarrier.arrive.expect.tx.scope.cta.space.cta(ptr addrspace(3) %ifull, i32 {0})
  %ioffset = mul i32 %is, 16384
  %toA = getelementptr i8, ptr addrspace(3) @shared, i32 %ioffset
  %toB = getelementptr i8, ptr addrspace(3) %toA, i32 8192
  %column = mul i32 %i, 64
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.2d(ptr addrspace(3) %toA, ptr addrspace(3) %ifull, ptr %mapA, i32 %column, i32 0, i64 0, i1 false)
  call void @llvm.nvvm.cp.async.bulk.tensor.g2s.cta.tile.2d(ptr addrspace(3) %toB, ptr addrspace(3) %ifull, ptr %mapB, i32 %column, i32 0, i64 0, i1 false)
  %i1 = add i32 %i, 1
  %imore = icmp ult i32 %i1, {1}
  br i1 %imore, label %copy, label %end
)",
                       parts.stageBytes, steps)
      .str();
}

/// One thread of the warp group returns a stage to the producer, with labels of this name.
std::string releaseText(llvm::StringRef name, llvm::StringRef stage) {
  return llvm::formatv(R"(
  br i1 %isFirst, label %{0}, label %{0}d
{0}:
  %{0}Bar = getelementptr i64, ptr addrspace(3) %empties, i32 {1}
  %{0}Token = call i64 @llvm.nvvm.mbarrier.arrive.shared(ptr addrspace(3) %{0}Bar)
  br label %{0}d
{0}d:
)",
                       name, stage)
      .str();
}

std::string consumerText(const Parts &parts) {
  const Product product{"m64n64k16.f32.f16.f16", 32, false, ", 1, 1, 0, 0"};
  std::string text = "consumer:\n  br label %multiply\nmultiply:\n  %k = phi i32 [ 0, %consumer ], [ %k1, %stepped ]\n";
  for (unsigned i = 0; i < product.results; ++i)
    text += llvm::formatv("  %c0x{0} = phi float [ 0.0, %consumer ], [ %c4x{0}, %stepped ]\n", i).str();
  text += R"(
  %s = and i32 %k, 1
  %round = lshr i32 %k, 1
  %parity = and i32 %round, 1
  %fullBar = getelementptr i64, ptr addrspace(3) %fulls, i32 %s
  %add = add i32 1, 0
)" + parts.waitForFull +
          R"(
  %offset = mul i32 %s, 16384
  %wide = zext i32 %offset to i64
  %start16 = lshr i64 %wide, 4
)";
  uint64_t matrix = uint64_t(1) << 62 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 16;
  text += llvm::formatv("  %dA = or i64 %start16, {0}\n  %dB = add i64 %dA, 512\n", matrix).str();
  text += "  call void @llvm.nvvm.wgmma.fence.sync.aligned()\n";
  for (unsigned q = 0; q < 4; ++q) {
    std::string call = productText(product, llvm::formatv("c{0}x", q + 1).str(), llvm::formatv("c{0}x", q).str());
    auto replace = [&](llvm::StringRef from, const std::string &to) {
      call.replace(call.find(from.str()), from.size(), to);
    };
    replace("%da", llvm::formatv("%dA{0}", q));
    replace("%db", llvm::formatv("%dB{0}", q));
    text += llvm::formatv("  %dA{0} = add i64 %dA, {1}\n  %dB{0} = add i64 %dB, {1}\n", q, 2 * q).str() + call;
  }
  text += "  call void @llvm.nvvm.wgmma.commit_group.sync.aligned()\n";
  if (parts.releasesEarly)
    text += releaseText("early", "%s");
  text += llvm::formatv("  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 {0})\n", parts.pending).str();
  if (parts.pending == 0 && !parts.releasesEarly)
    text += releaseText("release", "%s");
  if (parts.pending == 1) // the stage of the previous step
    text +=
        "  %hasBefore = icmp ne i32 %k, 0\n  br i1 %hasBefore, label %before, label %step\nbefore:\n  %sb = xor i32 "
        "%s, 1\n" +
        releaseText("release", "%sb") + "  br label %step\nstep:\n";
  text += "  br label %stepped\nstepped:\n  %k1 = add i32 %k, 1\n";
  text += llvm::formatv("  %more = icmp ult i32 %k1, {0}\n  br i1 %more, label %multiply, label %epilogue\nepilogue:\n"
                        "  call void @llvm.nvvm.wgmma.wait_group.sync.aligned(i64 0)\n",
                        steps)
              .str();
  for (unsigned i = 0; i < product.results; ++i)
    text += llvm::formatv("  %oi{0} = add i32 %t, {1}\n  %op{0} = getelementptr float, ptr addrspace(1) %out, i32 "
                          "%oi{0}\n  store float %c4x{0}, ptr addrspace(1) %op{0}\n",
                          i, i * 128)
                .str();
  return text + "  br label %end\nend:\n  ret void\n}\n";
}

struct Matmul {
  std::vector<uint16_t> a = std::vector<uint16_t>(tile * depth), b = a;
  std::vector<float> out = std::vector<float>(tile * tile, -1);
  LaunchResult result;

  explicit Matmul(const Parts &parts) {
    std::mt19937 random(3);
    for (std::vector<uint16_t> *factor : {&a, &b})
      for (uint16_t &x : *factor)
        x = halfFromFloat(float(int(random() % 9) - 4));
    TensorMap maps[2];
    for (unsigned i : {0u, 1u}) {
      uint64_t sizes[] = {depth, tile}, strides[] = {depth * 2};
      uint32_t box[] = {64, tile}, ones[] = {1, 1};
      EXPECT_EQ(encodeTensorMap({6, addressOf(i == 0 ? a : b), sizes, strides, box, ones, 0, 3, 0, 0}, maps[i]), "");
    }
    auto program = decodeText(prologue.str() + producerText(parts) + consumerText(parts));
    if (!program)
      return;
    LaunchConfiguration configuration;
    configuration.threads = 160;
    configuration.dynamicSharedBytes = 32768 + 32;
    result = launch(*program, configuration,
                    {reinterpret_cast<uint64_t>(&maps[0]), reinterpret_cast<uint64_t>(&maps[1]), addressOf(out)},
                    {allocationOf(a, "a"), allocationOf(b, "b"), allocationOf(out, "out")});
  }
  void expectProduct() {
    EXPECT_TRUE(result.findings.empty()) << result.findings.front().str();
    for (unsigned t = 0; t < 128; ++t)
      for (unsigned reg = 0; reg < 32; ++reg) {
        unsigned row = t / 32 * 16 + t % 32 / 4 + reg / 2 % 2 * 8, column = reg / 4 * 8 + t % 4 * 2 + reg % 2;
        float sum = 0;
        for (unsigned k = 0; k < depth; ++k)
          sum += floatFromHalf(a[row * depth + k]) * floatFromHalf(b[column * depth + k]);
        ASSERT_EQ(out[reg * 128 + t], sum) << row << " " << column;
      }
  }
  void expect(FindingKind kind, llvm::StringRef words) {
    for (const Finding &finding : result.findings)
      if (finding.kind == kind && finding.detail.find(words.str()) != std::string::npos)
        return;
    ADD_FAILURE() << "not found: " << words.str()
                  << (result.findings.empty() ? "" : "; but " + result.findings.front().str());
  }
};

TEST(AsynchronousMatmul, Products) {
  Matmul(Parts()).expectProduct();
  Matmul({.pending = 1}).expectProduct();
}

TEST(AsynchronousMatmul, FactorsMustHaveCome) {
  Matmul({.waitForFull = ""}).expect(FindingKind::UninitializedShared, "asynchronous read of shared bytes");
}

TEST(AsynchronousMatmul, StagesMustNotBeReleasedEarly) {
  Matmul({.releasesEarly = true})
      .expect(FindingKind::SharedRace, "which an asynchronous operation reads that has not ended");
}

TEST(AsynchronousMatmul, BytesOfAStage) {
  Matmul({.stageBytes = 20000}).expect(FindingKind::Deadlock, "waits for 0 of 1 arrivals and for 3616 bytes");
}

} // namespace
} // namespace triton::simulator
