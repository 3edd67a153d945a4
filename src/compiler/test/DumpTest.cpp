#include "CompileFixture.h"

using namespace triton::compiler;

namespace {
class DumpTest : public CompileFixture {};
} // namespace

TEST_F(DumpTest, KernelDumpWritesEveryStage) {
  set("TRITON_KERNEL_DUMP", "1");
  set("TRITON_DUMP_DIR", directory + "/dump");
  auto kernel = compile(addRequest());
  std::vector<std::string> files = filesBelow(directory + "/dump");
  ASSERT_EQ(files.size(), kernel->artifacts.size());
  for (const std::string &path : files)
    EXPECT_EQ(read(path), kernel->artifacts.at(llvm::sys::path::extension(path).drop_front().str())) << path;
}

TEST_F(DumpTest, AnOverrideReplacesItsStage) {
  set("TRITON_KERNEL_DUMP", "1");
  set("TRITON_DUMP_DIR", directory + "/dump");
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
  set("TRITON_KERNEL_DUMP", "0");
  for (const std::string &path : filesBelow(directory + "/dump")) {
    if (llvm::sys::path::extension(path) != ".ttir")
      continue;
    std::string text = read(path);
    std::size_t at = text.find("1.000000e+00");
    ASSERT_NE(at, std::string::npos);
    text.replace(at, 12, "5.000000e+00");
    write(path, text);
  }
  for (const std::string &path : filesBelow(directory + "/dump"))
    if (llvm::sys::path::extension(path) != ".ttir")
      llvm::sys::fs::remove(path);
  set("TRITON_KERNEL_OVERRIDE", "1");
  set("TRITON_OVERRIDE_DIR", directory + "/dump");
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 5.0f);
  set("TRITON_KERNEL_OVERRIDE", "0");
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f) << "an overridden kernel must not be cached";
}

TEST_F(DumpTest, LineInfoCanBeLeftOut) {
  auto with = compile(addRequest());
  set("TRITON_DISABLE_LINE_INFO", "1");
  auto without = compile(addRequest());
  EXPECT_NE(artifact(*with, "llir").find("!DILocation"), std::string::npos);
  EXPECT_EQ(artifact(*without, "llir").find("!DILocation"), std::string::npos);
}

TEST_F(DumpTest, DebugVariableCompilesAsserts) {
  CompileRequest request;
  request.function = load("@triton.jit\ndef kernel(x):\n    tl.device_assert(tl.load(x) > 0, \"must be positive\")\n");
  request.arguments = {pointer("x")};
  EXPECT_EQ(artifact(*compile(request), "ttir").find("tt.assert"), std::string::npos);
  set("TRITON_DEBUG", "1");
  auto kernel = compile(request);
  EXPECT_NE(artifact(*kernel, "ttir").find("tt.assert"), std::string::npos);
  EXPECT_THROW(runOnZeros(*kernel), std::runtime_error);
}
