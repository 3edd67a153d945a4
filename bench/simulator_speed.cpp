// How fast the SIMT simulator executes an elementwise kernel: lane-instructions a second on one host core, with every
// check on.
#include "simulator/Decode.h"
#include "simulator/core/Launch.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <ctime>
#include <numeric>
#include <vector>

using namespace triton::simulator;

/// Four elements a thread: out = exp2(a * b + a), what an elementwise kernel looks like after lowering.
static constexpr llvm::StringLiteral kernelText = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.fma.f32(float, float, float)
define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %p, 512
  %first = shl i32 %t, 2
  %i = add i32 %base, %first
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %body, label %end
body:
  %pa = getelementptr float, ptr addrspace(1) %a, i32 %i
  %pb = getelementptr float, ptr addrspace(1) %b, i32 %i
  %po = getelementptr float, ptr addrspace(1) %out, i32 %i
  %x = load <4 x float>, ptr addrspace(1) %pa, align 16
  %y = load <4 x float>, ptr addrspace(1) %pb, align 16
  %m = fmul <4 x float> %x, %y
  %s = fadd <4 x float> %m, %x
  %q = fmul <4 x float> %s, %s
  %r = fadd <4 x float> %q, %y
  store <4 x float> %r, ptr addrspace(1) %po, align 16
  br label %end
end:
  ret void
}
)";

int main() {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(kernelText, diagnostic, context);
  llvm::Expected<std::unique_ptr<Program>> program = decodeKernel(*module, "kernel");
  if (!program) {
    llvm::errs() << llvm::toString(program.takeError()) << "\n";
    return EXIT_FAILURE;
  }
  constexpr std::size_t size = 1 << 20;
  auto allocate = [&] { return static_cast<float *>(std::aligned_alloc(64, size * sizeof(float))); };
  float *arrays[] = {allocate(), allocate(), allocate()};
  for (float *array : arrays)
    std::iota(array, array + size, 0.0f);
  LaunchConfiguration configuration;
  configuration.grid = {size / 512, 1, 1};
  configuration.threads = 128;
  configuration.hostThreads = 1;
  double best = 0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    std::vector<uint64_t> arguments;
    std::vector<Allocation> allocations;
    for (float *array : arrays) {
      arguments.push_back(reinterpret_cast<uint64_t>(array));
      allocations.push_back({"array", reinterpret_cast<uintptr_t>(array), size * sizeof(float), true});
    }
    arguments.push_back(size);
    std::clock_t start = std::clock(); // processor time, which other load on the machine does not lengthen
    LaunchResult result = launch(**program, configuration, arguments, allocations);
    double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    if (!result.findings.empty()) {
      llvm::errs() << result.findings.front().str() << "\n";
      return EXIT_FAILURE;
    }
    best = std::max(best, double(result.laneInstructions) / seconds);
  }
  llvm::outs() << llvm::format("simulator: %.0f million lane-instructions a second on one core\n", best / 1e6);
  return EXIT_SUCCESS;
}
