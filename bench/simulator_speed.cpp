// How fast the SIMT simulator is on one host core with every check on: lane-instructions a second of an elementwise
// kernel, floating-point operations a second of matrix instructions, and the time of an atomic operation.
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

/// Each warp multiplies matrices of 16-bit floats in a loop.
static constexpr llvm::StringLiteral nvidiaProduct = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare {float, float, float, float} @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, float, float, float)
define ptx_kernel void @kernel() {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %h = uitofp i32 %t to half
  %s = insertelement <2 x half> zeroinitializer, half %h, i32 0
  %v = insertelement <2 x half> %s, half 0xH3555, i32 1
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %c = phi float [ 0.0, %entry ], [ %d, %loop ]
  %r = call {float, float, float, float} @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, <2 x half> %v, float %c, float %c, float %c, float %c)
  %d = extractvalue {float, float, float, float} %r, 0
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 1000
  br i1 %more, label %loop, label %end
end:
  ret void
}
)";
static constexpr llvm::StringLiteral amdProduct = R"(
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32, i32, i32)
define amdgpu_kernel void @kernel() #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %h = uitofp i32 %t to half
  %v = insertelement <4 x half> splat (half 0xH3555), half %h, i32 0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %c = phi <4 x float> [ zeroinitializer, %entry ], [ %d, %loop ]
  %d = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %v, <4 x half> %v, <4 x float> %c, i32 0, i32 0, i32 0)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 1000
  br i1 %more, label %loop, label %end
end:
  ret void
}
attributes #0 = { "target-cpu"="gfx942" "amdgpu-flat-work-group-size"="128,128" }
)";

/// A histogram: each thread adds to eight of 256 places.
static constexpr llvm::StringLiteral atomicSum = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @kernel(ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = shl i32 %p, 10
  %first = add i32 %base, %t
  RELEASE
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %n = add i32 %first, %i
  %hash = mul i32 %n, -1640531535
  %place = lshr i32 %hash, 24
  %pointer = getelementptr float, ptr addrspace(1) %out, i32 %place
  %old = atomicrmw fadd ptr addrspace(1) %pointer, float 1.0 syncscope("device") monotonic, align 4
  %next = add i32 %i, 128
  %more = icmp ult i32 %next, 1024
  br i1 %more, label %loop, label %end
end:
  ACQUIRE
  ret void
}
)";

static std::unique_ptr<Program> decodeText(llvm::StringRef text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module) {
    diagnostic.print("simulator-speed", llvm::errs());
    std::exit(EXIT_FAILURE);
  }
  llvm::Expected<std::unique_ptr<Program>> program = decodeKernel(*module, "kernel");
  if (program)
    return std::move(*program);
  llvm::errs() << llvm::toString(program.takeError()) << "\n";
  std::exit(EXIT_FAILURE);
}

/// The most launches a second of processor time, which other load on the machine does not lengthen. Also gives the
/// lane-instructions of a launch.
static double launchesASecond(const Program &program, const LaunchConfiguration &configuration,
                              const std::vector<uint64_t> &arguments, const std::vector<Allocation> &allocations,
                              uint64_t &laneInstructions) {
  double best = 0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    std::clock_t start = std::clock();
    LaunchResult result = launch(program, configuration, arguments, allocations);
    best = std::max(best, CLOCKS_PER_SEC / double(std::clock() - start));
    laneInstructions = result.laneInstructions;
    if (!result.findings.empty()) {
      llvm::errs() << result.findings.front().str() << "\n";
      std::exit(EXIT_FAILURE);
    }
  }
  return best;
}

static void measureElementwise() {
  constexpr std::size_t size = 1 << 20;
  std::vector<std::vector<float>> arrays(3, std::vector<float>(size + 4));
  std::vector<uint64_t> arguments;
  std::vector<Allocation> allocations;
  for (std::vector<float> &array : arrays) {
    std::iota(array.begin(), array.end(), 0.0f);
    arguments.push_back(reinterpret_cast<uint64_t>(array.data()));
    allocations.push_back({"array", reinterpret_cast<uintptr_t>(array.data()), size * sizeof(float), true});
  }
  arguments.push_back(size);
  LaunchConfiguration configuration;
  configuration.grid = {size / 512, 1, 1};
  configuration.threads = 128;
  configuration.hostThreads = 1;
  uint64_t instructions = 0;
  double rate = launchesASecond(*decodeText(kernelText), configuration, arguments, allocations, instructions);
  llvm::outs() << llvm::format("simulator: %.0f million lane-instructions a second on one core\n",
                               rate * double(instructions) / 1e6);
}

static void measureProduct(llvm::StringRef name, llvm::StringRef text, unsigned warps, double operations) {
  LaunchConfiguration configuration;
  configuration.threads = 128;
  configuration.hostThreads = 1;
  uint64_t instructions = 0;
  double rate = launchesASecond(*decodeText(text), configuration, {}, {}, instructions);
  llvm::outs() << "simulator: "
               << llvm::format("%.1f GFLOP a second on one core by ", rate * warps * 1000 * operations / 1e9) << name
               << "\n";
}

static void measureAtomics(llvm::StringRef name, llvm::StringRef release, llvm::StringRef acquire) {
  constexpr unsigned programs = 256, sumsOfProgram = 1024;
  std::vector<float> places(256);
  LaunchConfiguration configuration;
  configuration.grid = {programs, 1, 1};
  configuration.threads = 128;
  configuration.hostThreads = 1;
  std::string text = atomicSum.str();
  text.replace(text.find("RELEASE"), llvm::StringRef("RELEASE").size(), release);
  text.replace(text.find("ACQUIRE"), llvm::StringRef("ACQUIRE").size(), acquire);
  auto address = reinterpret_cast<uintptr_t>(places.data());
  uint64_t instructions = 0;
  double rate = launchesASecond(*decodeText(text), configuration, {address},
                                {{"places", address, places.size() * sizeof(float), true}}, instructions);
  llvm::outs() << llvm::format("simulator: %.2f us for each atomic sum, ", 1e6 / (rate * programs * sumsOfProgram))
               << name << "\n";
}

int main() {
  measureElementwise();
  measureProduct("mma.m16n8k16 of f16", nvidiaProduct, 4, 2 * 16 * 8 * 16);
  measureProduct("mfma 16x16x16 of f16", amdProduct, 2, 2 * 16 * 16 * 16);
  measureAtomics("relaxed", "", "");
  measureAtomics("between a release and an acquire", "fence syncscope(\"device\") release",
                 "fence syncscope(\"device\") acquire");
  return EXIT_SUCCESS;
}
