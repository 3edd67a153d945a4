#include "aot/CpuLibrary.h"

#include "aot/CpuSource.h"
#include "aot/Errors.h"

#include "backends/SharedObject.h"
#include "backends/cpu/CodeGeneration.h"
#include "base/Errors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"

namespace triton::aot {
namespace {

// What kernels call of the runtime. Nothing interrupts a kernel here, and an assertion ends the program.
constexpr char runtimeIR[] = R"(
@triton_cpu_attention = hidden global i32 0
@message = private constant [63 x i8] c"device assertion failed: %s\0A  at %s\0A  in program (%d, %d, %d)\0A\00"

define hidden void @triton_cpu_tick() {
  ret void
}

define hidden i64 @triton_cpu_nanoseconds() {
  %now = alloca [2 x i64]
  call i32 @clock_gettime(i32 1, ptr %now)
  %seconds = load i64, ptr %now
  %rest = getelementptr i8, ptr %now, i64 8
  %nanoseconds = load i64, ptr %rest
  %scaled = mul i64 %seconds, 1000000000
  %sum = add i64 %scaled, %nanoseconds
  ret i64 %sum
}

define hidden void @triton_cpu_assert_fail(i32 %x, i32 %y, i32 %z, ptr %text, ptr %place) {
  call i32 (i32, ptr, ...) @dprintf(i32 2, ptr @message, ptr %text, ptr %place, i32 %x, i32 %y, i32 %z)
  call void @abort()
  unreachable
}

declare i32 @clock_gettime(i32, ptr)
declare i32 @dprintf(i32, ptr, ...)
declare void @abort()
)";

template <typename Value> Value require(llvm::Expected<Value> value) {
  if (!value)
    throw KernelError(llvm::toString(value.takeError()));
  return std::forward<Value>(*value);
}

/// Every processor of the architecture runs it.
std::string compileRuntime(cpu::Architecture architecture) {
  const cpu::TargetDescription &target = require(cpu::describeTarget(cpu::baselineOf(architecture)));
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(runtimeIR, diagnostic, context);
  if (!module)
    throw base::InternalError("the runtime of bundles: " + diagnostic.getMessage().str());
  if (llvm::Error error = cpu::prepareModule(*module, target, /*fuse=*/false))
    throw base::InternalError("the runtime of bundles: " + llvm::toString(std::move(error)));
  return require(cpu::generateCode(*module, target, cpu::CodeForm::Object));
}

} // namespace

std::string linkCpuLibrary(const Specification &specification, const base::CompiledKernel &kernel) {
  std::vector<std::string> symbols = importedSymbols(specification, kernel); // refuses what is not in `runtimeIR`
  cpu::Architecture architecture = require(cpu::describeTarget(kernel.options.arch)).architecture;
  std::string runtime = compileRuntime(architecture);
  std::string exported = "--export-dynamic-symbol=" + kernel.name;
  // Nothing of the temporary files' names and of the runtime is left in the library.
  // Systems for AArch64 have pages of 4, 16 or 64 KiB.
  const char *pageSize = architecture == cpu::Architecture::AArch64 ? "max-page-size=65536" : "max-page-size=4096";
  const char *flags[] = {"--strip-all",      "--gc-sections",   "-Bsymbolic",    "-z", "noexecstack", "-z", pageSize,
                         "--hash-style=gnu", "--build-id=none", exported.c_str()};
  return require(backends::linkSharedObject({kernel.artifacts.at("o"), runtime}, flags));
}

std::string requiredFeatures(const std::string &arch, bool withTiles) {
  std::vector<std::string> features = testedFeatures(arch);
  if (withTiles)
    llvm::append_range(features, testedTileFeatures(arch));
  return llvm::join(features, ",");
}

} // namespace triton::aot
