// Runs kernels of AMD's GPUs that are given as LLVM IR text.
#pragma once

#include "Harness.h"

#include "simulator/core/Numerics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

namespace triton::simulator {

/// A kernel that reads an array `in` and writes an array `out`, of 32-bit words. `%t` is the thread, and the pointers
/// %from and %to are its elements. The body begins in the block `entry` and returns.
struct AmdgpuRun : CheckedRun {
  struct Setup {
    llvm::StringRef processor = "gfx942";
    unsigned threads = 64;
    unsigned words = 0; ///< of each array; 0: one for each thread
    std::size_t sharedBytes = 4096;
    std::array<uint32_t, 3> grid{1, 1, 1};
    llvm::StringRef features = {};
    std::vector<uint32_t> input = {};
    llvm::StringRef globals = {};
  };
  std::vector<uint32_t> in, out;

  static std::string text(llvm::StringRef body, const Setup &setup) {
    return llvm::formatv(R"(
target datalayout = "{0}"
target triple = "amdgcn-amd-amdhsa"
@shared = external addrspace(3) global [0 x i8], align 16
{5}
define amdgpu_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {{
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %place = zext i32 %t to i64
  %from = getelementptr i32, ptr addrspace(1) %in, i64 %place
  %to = getelementptr i32, ptr addrspace(1) %out, i64 %place
  {1}
}
attributes #0 = {{ "target-cpu"="{2}" "amdgpu-flat-work-group-size"="{3},{3}" "target-features"="{4}" }
)",
                         layout, body, setup.processor, setup.threads, setup.features, setup.globals)
        .str();
  }

  explicit AmdgpuRun(llvm::StringRef body) : AmdgpuRun(body, Setup()) {}
  AmdgpuRun(llvm::StringRef body, const Setup &setup) {
    unsigned words = setup.words ? setup.words : setup.threads * setup.grid[0] * setup.grid[1] * setup.grid[2];
    in = setup.input;
    if (in.empty()) {
      in.resize(words);
      std::iota(in.begin(), in.end(), 1u);
    }
    out.resize(words);
    auto program = decodeText(text(body, setup));
    if (!program)
      return;
    LaunchConfiguration configuration;
    configuration.grid = setup.grid;
    configuration.threads = program->requiredThreads;
    configuration.dynamicSharedBytes = setup.sharedBytes;
    result = launch(*program, configuration, {addressOf(in), addressOf(out)},
                    {allocationOf(in, "in"), allocationOf(out, "out")});
  }

  /// What refuses the kernel.
  static std::string refusal(llvm::StringRef body) { return refusal(body, Setup()); }
  static std::string refusal(llvm::StringRef body, const Setup &setup) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString(text(body, setup), diagnostic, context);
    if (!module)
      return diagnostic.getMessage().str();
    auto program = decodeKernel(*module, "kernel");
    return program ? "" : llvm::toString(program.takeError());
  }

  template <typename Value> void expectOut(Value value) {
    expectNoFindings();
    for (unsigned i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], uint32_t(value(i))) << "element " << i;
  }

  static constexpr llvm::StringLiteral layout =
      "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:"
      "256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-"
      "S32-A5-G1-ni:7:8:9";
};

} // namespace triton::simulator
