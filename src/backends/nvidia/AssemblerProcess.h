// A process of ptxas that may start before its input exists, because starting takes longer than assembling a small
// kernel.
#pragma once

#include "backends/Backend.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Program.h"

#include <string>
#include <vector>

namespace triton::nvidia {

/// One run of ptxas. Its files are in a folder that is removed together with the object.
class AssemblerProcess final : public backends::StartedWork {
public:
  /// `command` is the program and its flags; the files are added. `kernel` is the name of the folder. `limit`, if any,
  /// counts the program while it runs.
  AssemblerProcess(std::vector<std::string> command, llvm::StringRef kernel, base::ProcessLimit *limit = nullptr);
  AssemblerProcess(const AssemblerProcess &) = delete;
  ~AssemblerProcess() override;

  /// Starts the program, which then waits for its input. If that is not possible, or the limit is reached, `run` starts
  /// it.
  void startAhead();

  struct Result {
    int code = 0; ///< the exit status; -2 for a crash
    std::string log;
    std::string cubin;
  };
  /// Assembles, after waiting for the limit; may be called once for each object. An error when the program cannot be
  /// run.
  llvm::Expected<Result> run(llvm::StringRef ptx);

  /// Keeps the PTX in its file.
  void keepInput() { keepsInput = true; }
  std::string inputPath() const { return filePath("kernel.ptx"); }
  /// The command in the form that a shell accepts.
  std::string commandLine() const;

private:
  std::string filePath(llvm::StringRef name) const;
  std::vector<std::string> fullCommand() const;
  llvm::Error start();
  llvm::Error wait(Result &result);
  void end();
  void leaveLimit();
  llvm::Error writeInput(llvm::StringRef ptx);
  bool feed(llvm::StringRef ptx);

  std::vector<std::string> command;
  llvm::SmallString<128> folder;
  llvm::sys::ProcessInfo process; ///< process 0: none
  int pipe = -1;                  ///< both ends of what the started program reads
  bool keepsInput = false;
  base::ProcessLimit *const limit;
  bool isCounted = false; ///< by the limit
};

} // namespace triton::nvidia
