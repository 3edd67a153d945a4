#include "backends/nvidia/Libdevice.h"

#include "backends/gpu/library/BitcodeLibrary.h"
#include "backends/nvidia/Toolkit.h"
#include "base/PassRunner.h"

namespace triton::nvidia {
namespace {

bool isMissing(const llvm::Function &function) {
  return function.isDeclaration() && function.getName().starts_with("__nv_");
}

const llvm::Function *findCall(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (isMissing(function))
      return &function;
  return nullptr;
}

/// Declares what the optimizer would learn from the definitions in libdevice.
void declareWithoutEffects(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (isMissing(function)) {
      function.setDoesNotAccessMemory();
      function.setDoesNotThrow();
      function.setWillReturn();
    }
}

} // namespace

llvm::Error linkLibdevice(llvm::Module &module, bool mayBeMissing) {
  const llvm::Function *call = findCall(module);
  if (!call)
    return llvm::Error::success();
  llvm::Expected<std::string> path = findLibdevice();
  if (!path && mayBeMissing) {
    llvm::consumeError(path.takeError()); // the simulator refuses functions that it does not know
    declareWithoutEffects(module);
    return llvm::Error::success();
  }
  if (!path)
    return llvm::make_error<base::ToolchainError>("the kernel calls `" + call->getName().str() +
                                                  "` of libdevice: " + llvm::toString(path.takeError()));
  llvm::Expected<llvm::MemoryBufferRef> library = backends::readLibrary(*path);
  if (!library)
    return library.takeError();
  return backends::linkNeeded(module, *library);
}

llvm::Error linkLibrary(llvm::Module &module, const std::string &path) {
  llvm::Expected<llvm::MemoryBufferRef> library = backends::readLibrary(path);
  if (!library)
    return llvm::createStringError(llvm::toString(library.takeError()) +
                                   "; the option `extern_libs` names it, which takes files of LLVM bitcode");
  if (llvm::Error error = backends::linkNeeded(module, *library, /*keepsVariables=*/true))
    return error;
  // The kernel's machine counts, not the one that the library was compiled for: functions of another are not inlined.
  for (llvm::Function &function : module)
    if (function.hasLocalLinkage())
      for (const char *attribute : {"target-cpu", "target-features"})
        function.removeFnAttr(attribute);
  return llvm::Error::success();
}

std::string libdeviceFingerprint() { return backends::libraryFingerprint(findLibdevice()); }

} // namespace triton::nvidia
