#include "compiler/SampleKernel.h"

#include "compiler/BackendRegistry.h"
#include "compiler/StageDriver.h"
#include "frontend/ModuleLoader.h"
#include "frontend/lowering/BuiltinModules.h"

using namespace triton;
using namespace triton::compiler;

static constexpr char kernelText[] = R"(
import triton
import triton.language as tl

@triton.jit
def sample(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(x + i, tl.exp(value) + tl.sum(value, axis=0), mask=i < n)
)";

CompileRequest compiler::sampleRequest(const std::string &backend) {
  CompileRequest request;
  request.function =
      frontend::LoadedModule::fromText(kernelText, "<sample>", frontend::builtinModule)->function("sample");
  request.target.backend = backend;
  if (const backends::Backend *found = findBackend(backend))
    request.target.arch = found->usualArch();
  Argument pointer, count, block;
  pointer.name = "x";
  pointer.type = *base::parseElementType("*fp32");
  pointer.divisibility = 16;
  count.name = "n";
  count.type = *base::parseElementType("i32");
  block.name = "BLOCK";
  block.constant = frontend::makeInteger(64);
  request.arguments = {pointer, count, block};
  return request;
}

std::string compiler::describePasses(const std::string &backend) {
  CompileRequest request = sampleRequest(backend);
  Environment environment;
  CacheKey key;
  const backends::Backend &compiling = requireBackend(request.target);
  auto options = llvm::cantFail(compiling.readOptions(request.target, request.options, environment));
  StageDriver driver(request, request.options, compiling, *options, environment, key);
  driver.run();
  return driver.describePasses() + "\n";
}
