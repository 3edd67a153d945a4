#include "backends/gpu/library/BitcodeLibrary.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <map>
#include <mutex>

namespace triton::backends {

namespace fs = llvm::sys::fs;

std::string fileFingerprint(const std::string &path) {
  fs::file_status status;
  if (fs::status(path, status))
    return path;
  return path + ":" + std::to_string(status.getSize()) + ":" +
         std::to_string(status.getLastModificationTime().time_since_epoch().count());
}

std::string libraryFingerprint(llvm::Expected<std::string> path) {
  if (path)
    return fileFingerprint(*path);
  llvm::consumeError(path.takeError());
  return "none";
}

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

llvm::Error linkNeeded(llvm::Module &module, llvm::MemoryBufferRef library, bool keepsVariables) {
  llvm::Expected<std::unique_ptr<llvm::Module>> functions = llvm::getLazyBitcodeModule(library, module.getContext());
  if (!functions)
    return functions.takeError();
  (*functions)->setTargetTriple(module.getTargetTriple());
  (*functions)->setDataLayout(module.getDataLayout());
  auto internalize = [&](llvm::Module &linked, const llvm::StringSet<> &names) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
      return !value.hasName() || !names.contains(value.getName()) ||
             (keepsVariables && llvm::isa<llvm::GlobalVariable>(value));
    });
  };
  if (llvm::Linker::linkModules(module, std::move(*functions), llvm::Linker::Flags::LinkOnlyNeeded, internalize))
    return llvm::createStringError("`" + library.getBufferIdentifier().str() + "` cannot be linked to the kernel");
  return llvm::Error::success();
}

} // namespace triton::backends
