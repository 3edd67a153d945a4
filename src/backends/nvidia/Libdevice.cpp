#include "backends/nvidia/Libdevice.h"

#include "backends/nvidia/Toolkit.h"
#include "base/PassRunner.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <mutex>

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

/// The file's bytes, kept for the next kernel.
llvm::Expected<llvm::MemoryBufferRef> readLibrary(const std::string &path) {
  static std::mutex mutex;
  static auto &files = *new std::map<std::string, std::unique_ptr<llvm::MemoryBuffer>>();
  std::lock_guard lock(mutex);
  std::unique_ptr<llvm::MemoryBuffer> &file = files[fileFingerprint(path)]; // the same file as in the cache's key
  if (!file) {
    auto opened = llvm::MemoryBuffer::getFile(path);
    if (!opened)
      return llvm::createStringError("cannot read `" + path + "`: " + opened.getError().message());
    file = std::move(*opened);
  }
  return file->getMemBufferRef();
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
  llvm::Expected<llvm::MemoryBufferRef> buffer = readLibrary(*path);
  if (!buffer)
    return buffer.takeError();
  llvm::Expected<std::unique_ptr<llvm::Module>> library = llvm::getLazyBitcodeModule(*buffer, module.getContext());
  if (!library)
    return library.takeError();
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  // What is linked is used only by this kernel, so internal functions disappear after they are inlined.
  auto internalize = [](llvm::Module &linked, const llvm::StringSet<> &names) {
    llvm::internalizeModule(
        linked, [&](const llvm::GlobalValue &value) { return !value.hasName() || !names.contains(value.getName()); });
  };
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::Flags::LinkOnlyNeeded, internalize))
    return llvm::createStringError("`" + *path + "` cannot be linked to the kernel");
  return llvm::Error::success();
}

std::string libdeviceFingerprint() {
  llvm::Expected<std::string> path = findLibdevice();
  if (path)
    return fileFingerprint(*path);
  llvm::consumeError(path.takeError()); // `linkLibdevice` reports it if a kernel needs the library
  return "none";
}

} // namespace triton::nvidia
