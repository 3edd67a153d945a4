#include "backends/SharedObject.h"

#include "base/PassRunner.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <mutex>

LLD_HAS_DRIVER(elf)

namespace triton::backends {
namespace {

/// A file of the temporary folder, which is removed at the end of the scope.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(llvm::StringRef extension) {
    TemporaryFile file;
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("triton", extension, file.path))
      return llvm::createStringError("cannot create a file in the temporary folder: " + error.message());
    file.remover = std::make_unique<llvm::FileRemover>(file.path);
    return file;
  }

  llvm::SmallString<64> path;

private:
  std::unique_ptr<llvm::FileRemover> remover;
};

} // namespace

/// lld reads and writes files, and its state is that of the process.
llvm::Expected<std::string> linkSharedObject(llvm::ArrayRef<llvm::StringRef> objects,
                                             llvm::ArrayRef<const char *> flags) {
  std::vector<TemporaryFile> inputs;
  for (llvm::StringRef object : objects) {
    llvm::Expected<TemporaryFile> input = TemporaryFile::create("o");
    if (!input)
      return input.takeError();
    if (llvm::Error error = llvm::writeToOutput(input->path, [&](llvm::raw_ostream &stream) {
          stream << object;
          return llvm::Error::success();
        }))
      return error;
    inputs.push_back(std::move(*input));
  }
  llvm::Expected<TemporaryFile> output = TemporaryFile::create("so");
  if (!output)
    return output.takeError();

  llvm::SmallVector<const char *> arguments = {"ld.lld", "-shared", "--threads=1", "-o", output->path.c_str()};
  llvm::append_range(arguments, flags);
  for (TemporaryFile &input : inputs)
    arguments.push_back(input.path.c_str());
  static std::mutex linker;
  std::string messages;
  {
    std::scoped_lock lock(linker);
    llvm::raw_string_ostream stream(messages);
    lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0)
      return llvm::make_error<base::ToolchainError>("LLVM's linker refuses the object file of this kernel:\n" +
                                                    messages);
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> linked = llvm::MemoryBuffer::getFile(output->path);
  if (!linked)
    return llvm::createStringError("cannot read what LLVM's linker wrote: " + linked.getError().message());
  return (*linked)->getBuffer().str();
}

} // namespace triton::backends
