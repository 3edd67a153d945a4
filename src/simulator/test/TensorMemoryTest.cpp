// Products in tensor memory, by inline assembly.
#include "Harness.h"

#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {
namespace {

/// One warp multiplies 64 rows of ones by columns of 8-bit numbers, of which each has its own number as all elements.
/// Columns lie side by side in memory, 16 of them together.
constexpr llvm::StringLiteral text = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.fence.proxy.async()
declare void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3), i32)
declare i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3), i32)
@shared = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @kernel(ptr addrspace(1) %columns, ptr addrspace(1) %out, i32 %description) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %one = icmp eq i32 %t, 0
  %bar = getelementptr i8, ptr addrspace(3) @shared, i32 3072
  %place = getelementptr i8, ptr addrspace(3) @shared, i32 3088
  br label %fill
fill:
  %w = phi i32 [ %t, %entry ], [ %next, %fill ]
  %from = getelementptr i32, ptr addrspace(1) %columns, i32 %w
  %word = load i32, ptr addrspace(1) %from
  %to = getelementptr i32, ptr addrspace(3) @shared, i32 %w
  store i32 %word, ptr addrspace(3) %to
  %next = add i32 %w, 32
  %more = icmp ult i32 %next, 768
  br i1 %more, label %fill, label %filled
filled:
  br i1 %one, label %init, label %start
init:
  call void @llvm.nvvm.mbarrier.init.shared(ptr addrspace(3) %bar, i32 1)
  br label %start
start:
  call void @llvm.nvvm.fence.proxy.async()
  call void asm sideeffect "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$0], 32;", "r"(ptr addrspace(3) %place)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %d = load i32, ptr addrspace(3) %place
  br i1 %one, label %issue, label %issued
issue:
  call void asm sideeffect "tcgen05.mma.cta_group::1.kind::KIND [$0], $1, $2, $3, $4;", "r,l,l,r,b"(i32 %d, i64 34363932672, i64 137439477888, i32 %description, i1 false)
  call void asm sideeffect "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [$0];", "r"(ptr addrspace(3) %bar)
  br label %issued
issued:
  %there = call i1 @llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta(ptr addrspace(3) %bar, i32 0)
  %got = call i32 asm sideeffect "tcgen05.ld.sync.aligned.16x64b.x1.b32 {$0}, [$1];", "=r,r"(i32 %d)
  call void asm sideeffect "tcgen05.dealloc.cta_group::1.sync.aligned.b32 $0, 32;", "r"(i32 %d)
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %got, ptr addrspace(1) %po
  ret void
}
)";

struct ProductRun : CheckedRun {
  std::vector<uint8_t> factors = std::vector<uint8_t>(3072, 1);
  std::vector<uint32_t> out = std::vector<uint32_t>(32);

  ProductRun(llvm::StringRef kind, uint32_t description) {
    constexpr unsigned place = 2048, columnsTogether = 16, bytesTogether = 512;
    for (unsigned i = place; i < factors.size(); ++i)
      factors[i] = uint8_t(i % columnsTogether + (i - place) / bytesTogether * columnsTogether);
    std::string named = text.str();
    named.replace(named.find("KIND"), 4, kind.str());
    auto program = decodeText(named);
    if (!program)
      return;
    LaunchConfiguration configuration;
    configuration.threads = 32;
    configuration.dynamicSharedBytes = 4096;
    result = simulator::launch(*program, configuration, {addressOf(factors), addressOf(out), description},
                               {allocationOf(factors, "factors"), allocationOf(out, "out")});
  }
};

constexpr uint32_t sums32 = 2 << 4, signedA = 1 << 7, signedB = 1 << 10, columnsSideBySide = 1 << 16, rows64 = 4 << 24;
constexpr uint32_t columns(unsigned count) { return count / 8 << 17; }

/// 24 columns are one and a half of the pieces in which memory has them.
TEST(TensorMemory, ColumnsOfAPartOfAPiece) {
  ProductRun run("i8", sums32 | signedA | signedB | columnsSideBySide | columns(24) | rows64);
  run.expectNoFindings();
  for (unsigned lane = 0; lane < run.out.size(); ++lane)
    EXPECT_EQ(run.out[lane], 32 * (lane / 2 % 2)) << lane; // of two columns
}

TEST(TensorMemory, FormatsThatAreNotComputed) {
  constexpr uint32_t fourBits = 5 << 10;
  ProductRun("f8f6f4", 1 << 4 | fourBits | columns(16) | rows64)
      .expect(FindingKind::TensorMemoryMisuse, "floats of 4 or 6 bits (format 5) among those of 8 bits");
}

} // namespace
} // namespace triton::simulator
