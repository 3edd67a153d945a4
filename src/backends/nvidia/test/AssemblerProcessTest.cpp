// ptxas that is started before its input exists, and what may go wrong in between.

#include "backends/nvidia/AssemblerProcess.h"
#include "backends/nvidia/Toolkit.h"
#include "backends/nvidia/test/Require.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace triton::nvidia;

namespace {

constexpr char emptyKernel[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n";

std::vector<std::string> ptxas() { return {require(findPtxas(80)), "--gpu-name=sm_80"}; }

/// A shell script in place of ptxas, which is removed at the end of the scope.
class Script {
public:
  explicit Script(const std::string &text) {
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("stand-in", "sh", path));
    std::ofstream(path.c_str()) << text;
    EXPECT_FALSE(llvm::sys::fs::setPermissions(path, llvm::sys::fs::all_all));
  }
  ~Script() { llvm::sys::fs::remove(path); }
  std::vector<std::string> command() const { return {std::string(path), "--gpu-name=sm_80"}; }

private:
  llvm::SmallString<128> path;
};

AssemblerProcess::Result assembleAhead(std::vector<std::string> command, llvm::StringRef ptx) {
  AssemblerProcess process(std::move(command), "k");
  process.startAhead();
  return require(process.run(ptx));
}

bool hasCode(const AssemblerProcess::Result &result) {
  return bool(llvm::expectedToOptional(
      llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(result.cubin, "cubin"))));
}

TEST(AssemblerProcess, KeepsToTheLimit) {
  triton::base::ProcessLimit limit(1);
  AssemblerProcess first(ptxas(), "k", &limit), second(ptxas(), "k", &limit);
  first.startAhead();
  second.startAhead();
  EXPECT_EQ(limit.count().running, 1u);
  EXPECT_TRUE(hasCode(require(first.run(emptyKernel))));
  EXPECT_EQ(limit.count().running, 0u);
  EXPECT_TRUE(hasCode(require(second.run(emptyKernel))));
  {
    AssemblerProcess unused(ptxas(), "k", &limit);
    unused.startAhead();
  }
  EXPECT_EQ(limit.count().running, 0u);
  EXPECT_EQ(limit.count().started, 3u);
}

TEST(AssemblerProcess, GivesTheSameAheadAsAfterwards) {
  AssemblerProcess::Result ahead = assembleAhead(ptxas(), emptyKernel);
  AssemblerProcess afterwards(ptxas(), "k");
  AssemblerProcess::Result result = require(afterwards.run(emptyKernel));
  EXPECT_EQ(ahead.code, 0) << ahead.log;
  EXPECT_TRUE(hasCode(ahead));
  EXPECT_EQ(ahead.cubin, result.cubin);
}

TEST(AssemblerProcess, TakesMoreThanAPipeHolds) {
  for (size_t bytes : {size_t(100) << 10, size_t(3) << 20}) {
    std::string ptx = emptyKernel;
    while (ptx.size() < bytes)
      ptx += "// A comment that ptxas skips.\n";
    AssemblerProcess::Result result = assembleAhead(ptxas(), ptx);
    EXPECT_EQ(result.code, 0) << result.log;
    EXPECT_TRUE(hasCode(result));
  }
}

TEST(AssemblerProcess, GivesAFileToWhatWantsOne) {
  Script script("#!/bin/sh\nfor word; do case $word in *.ptx) [ -f \"$word\" ] || exit 3;; esac; done\nexec " +
                ptxas().front() + " \"$@\"\n");
  AssemblerProcess::Result result = assembleAhead(script.command(), emptyKernel);
  EXPECT_EQ(result.code, 0) << result.log;
  EXPECT_TRUE(hasCode(result));
}

TEST(AssemblerProcess, TellsOfACrash) {
  Script script("#!/bin/sh\necho before\nkill -SEGV $$\n");
  AssemblerProcess::Result result = assembleAhead(script.command(), emptyKernel);
  EXPECT_EQ(result.code, -2);
  EXPECT_NE(result.log.find("before\n"), std::string::npos) << result.log;
  EXPECT_NE(result.log.find("Segmentation fault"), std::string::npos) << result.log;
}

TEST(AssemblerProcess, TellsWhatCannotRun) {
  AssemblerProcess process({"/nowhere/ptxas"}, "k");
  process.startAhead();
  llvm::Expected<AssemblerProcess::Result> result = process.run(emptyKernel);
  ASSERT_FALSE(bool(result));
  std::string message = llvm::toString(result.takeError());
  EXPECT_NE(message.find("cannot run `/nowhere/ptxas`"), std::string::npos) << message;
}

TEST(AssemblerProcess, LeavesNothingBehind) {
  std::string folder;
  {
    AssemblerProcess process(ptxas(), "k");
    process.startAhead(); // It never gets any input.
    folder = llvm::sys::path::parent_path(process.inputPath()).str();
    EXPECT_TRUE(llvm::sys::fs::exists(folder));
  }
  EXPECT_FALSE(llvm::sys::fs::exists(folder));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

TEST(AssemblerProcess, IsNotHeldUpByAForkedChild) {
  AssemblerProcess process(ptxas(), "k");
  process.startAhead();
  pid_t child = fork(); // it would keep the writing end of the pipe if that were not closed in it
  if (child == 0) {
    pause();
    _exit(0);
  }
  AssemblerProcess::Result result = require(process.run(emptyKernel));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(result.code, 0) << result.log;
}

} // namespace
