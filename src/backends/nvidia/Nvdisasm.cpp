#include "backends/nvidia/Nvdisasm.h"

#include "backends/nvidia/Toolkit.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::nvidia {

namespace fs = llvm::sys::fs;

namespace {

/// A file that lives as long as this object.
class TemporaryFile {
public:
  std::error_code create(llvm::StringRef suffix) {
    std::error_code error = fs::createTemporaryFile("triton-nvdisasm", suffix, path);
    remover.setFile(path);
    return error;
  }
  llvm::StringRef name() const { return path; }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

private:
  llvm::SmallString<128> path;
  llvm::FileRemover remover;
};

} // namespace

llvm::Expected<std::string> disassemble(llvm::StringRef cubin) {
  llvm::Expected<std::string> program = findTool("nvdisasm");
  if (!program)
    return program.takeError();
  TemporaryFile input, output, log;
  for (auto [file, suffix] : {std::pair(&input, "cubin"), {&output, "sass"}, {&log, "log"}})
    if (std::error_code error = file->create(suffix))
      return llvm::createStringError(error, "cannot make a temporary file for nvdisasm");
  std::error_code error;
  llvm::raw_fd_ostream stream(input.name(), error);
  stream << cubin;
  stream.close();
  if (stream.has_error()) {
    stream.clear_error();
    return llvm::createStringError("cannot write " + input.name().str());
  }
  llvm::StringRef command[] = {*program, "--print-code", "--print-line-info-inline", input.name()};
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), output.name(), log.name()};
  std::string message;
  if (int code = llvm::sys::ExecuteAndWait(*program, command, std::nullopt, redirects, 0, 0, &message); code != 0)
    return llvm::createStringError("`" + *program + "` failed (" +
                                   (message.empty() ? "exit code " + std::to_string(code) : message) + ")\n" +
                                   log.read());
  return output.read();
}

} // namespace triton::nvidia
