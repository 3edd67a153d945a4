// What the compiler's tests share: a scratch directory, environment variables that are put back, and a small kernel.
#pragma once

#include "compiler/Compiler.h"
#include "frontend/ModuleLoader.h"
#include "frontend/lowering/BuiltinModules.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace triton::compiler {

class CompileFixture : public testing::Test {
protected:
  CompileFixture() {
    llvm::SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("triton-test", path));
    directory = std::string(path);
    set("TRITON_CACHE_DIR", directory + "/cache");
  }
  ~CompileFixture() override {
    for (const auto &[name, value] : previous)
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
    llvm::sys::fs::remove_directories(directory);
  }

  void set(const std::string &name, const std::string &value) {
    const char *old = std::getenv(name.c_str());
    previous.try_emplace(name, old ? old : "");
    setenv(name.c_str(), value.c_str(), 1);
  }

  /// Loads the kernel `kernel` from text behind the usual imports.
  static std::shared_ptr<const frontend::Function> load(const std::string &text, const char *name = "kernel") {
    return frontend::LoadedModule::fromText("import triton\nimport triton.language as tl\n\n" + text, "test.py",
                                            frontend::builtinModule)
        ->function(name);
  }

  static Argument pointer(const char *name, const char *type = "*fp32") {
    Argument argument;
    argument.name = name;
    argument.type = *base::parseElementType(type);
    return argument;
  }
  static Argument constant(const char *name, int64_t value) {
    Argument argument;
    argument.name = name;
    argument.constant = frontend::makeInteger(value);
    return argument;
  }

  /// Adds `addend` to each of BLOCK numbers.
  static CompileRequest addRequest(const std::string &addend = "1.0") {
    CompileRequest request;
    request.function = load("@triton.jit\ndef kernel(x, BLOCK: tl.constexpr):\n    i = tl.arange(0, BLOCK)\n"
                            "    tl.store(x + i, tl.load(x + i) + " +
                            addend + ")\n");
    request.arguments = {pointer("x"), constant("BLOCK", 32)};
    return request;
  }

  /// Runs a kernel of one pointer argument on 32 zeros and returns the first.
  static float runOnZeros(const CompiledKernel &kernel) {
    std::vector<float> values(32, 0.0f);
    uint64_t slot = reinterpret_cast<uintptr_t>(values.data());
    kernel.loaded->launch({.arguments = {&slot, 1}});
    for (float value : values)
      EXPECT_EQ(value, values.front());
    return values.front();
  }

  static std::string read(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  static void write(const std::string &path, const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  /// Every file below `root`, sorted.
  static std::vector<std::string> filesBelow(const std::string &root) {
    std::vector<std::string> files;
    std::error_code error;
    for (llvm::sys::fs::recursive_directory_iterator it(root, error), end; it != end && !error; it.increment(error))
      // The cache notes in `.pruned` when its size was looked at, after some writes.
      if (!llvm::sys::fs::is_directory(it->path()) && llvm::sys::path::filename(it->path()) != ".pruned")
        files.push_back(it->path());
    std::sort(files.begin(), files.end());
    return files;
  }

  std::string directory;

private:
  std::map<std::string, std::string> previous;
};

} // namespace triton::compiler
