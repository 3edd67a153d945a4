#include "settings/Settings.h"

#include "frontend/ModuleLoader.h"
#include "frontend/Parser.h"
#include "frontend/lowering/BuiltinModules.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace triton;
using namespace triton::settings;

namespace {

/// A file of two kernels with a text above the second, `scale(x, n, BLOCK: tl.constexpr)`.
class SettingsTest : public testing::Test {
protected:
  void load(const std::string &above) {
    std::string text =
        "import triton\nimport triton.language as tl\n\n@triton.jit\ndef twice(v):\n    return v * 2\n\n\n" + above +
        "@triton.jit\ndef scale(x, n, BLOCK: tl.constexpr):\n    pass\n";
    source = frontend::recoverModule("folder/kernels.py", text).source;
    module = frontend::LoadedModule::fromSource(source, frontend::builtinModule,
                                                [&](const std::string &) { return source; });
  }

  KernelSettings read(const std::string &above, const std::string &toml = "") {
    load(above);
    auto file = base::Source::create("folder/.triton.toml", toml);
    return settingsOf(*module->function("scale"), file.get());
  }

  /// Place and message of the error.
  std::string error(const std::string &above, const std::string &toml = "") {
    try {
      read(above, toml);
    } catch (const base::DiagnosticError &found) {
      return found.str().substr(0, found.str().find('\n'));
    }
    return "";
  }

  std::shared_ptr<const base::Source> source;
  std::shared_ptr<frontend::LoadedModule> module;
};

TEST_F(SettingsTest, ReadsComments) {
  KernelSettings settings = read("# Scales.\n# tritonc: target = \"cuda:80\", num-warps=8\n"
                                 "#tritonc: signature = \"*fp32:16, i32:natural, BLOCK=64\" # as in the program\n");
  EXPECT_EQ(settings.target, "cuda:80");
  EXPECT_EQ(settings.numWarps, 8);
  EXPECT_EQ(settings.numStages, std::nullopt);
  EXPECT_EQ(settings.signature(), "BLOCK=64, n=i32:natural, x=*fp32:16");
  ASSERT_EQ(settings.arguments.size(), 3u);
  EXPECT_EQ(settings.arguments[1].type.str(), "*fp32");
  EXPECT_EQ(settings.arguments[1].divisibility, 16);
  EXPECT_TRUE(settings.arguments[2].isInRange);
}

TEST_F(SettingsTest, ReadsOnlyWhatStandsDirectlyAbove) {
  EXPECT_EQ(read("# tritonc: num-warps = 8\n\n").numWarps, std::nullopt);
  EXPECT_EQ(findStrayComments(*source, module->kernels()).at(0).str().substr(0, 22), "folder/kernels.py:9:1:");
  EXPECT_EQ(read("# tritonc: num-warps = 8\n@decorator(\n    1,\n)\n# tritonc: num-stages = 1\n").numStages, 1);
  EXPECT_TRUE(findStrayComments(*source, module->kernels()).empty());
  EXPECT_EQ(read("TEXT = \"\"\"\n# tritonc: num-warps = 8\n\"\"\"\n").numWarps, std::nullopt);
  EXPECT_TRUE(findStrayComments(*source, module->kernels()).empty()) << "it is a text, not a comment";
}

TEST_F(SettingsTest, ReadsFiles) {
  const char *toml = "# for all\ntarget = 'hip:gfx942'\nnum-warps = 8\n\n[kernel.other]\nnum-stages = 5\n"
                     "[kernel.scale]\nnum-warps = 2\nsignature = [\n  \"*fp16\",  # x\n  'i32',\n  \"BLOCK=32\",\n]\n";
  KernelSettings settings = read("", toml);
  EXPECT_EQ(settings.str(), "target hip:gfx942, num-warps 2, signature BLOCK=32, n=i32, x=*fp16");
  EXPECT_EQ(read("# tritonc: num-warps = 1, signature = \"BLOCK=16\"\n", toml).str(),
            "target hip:gfx942, num-warps 1, signature BLOCK=16")
      << "the comment comes first";
}

TEST_F(SettingsTest, ReadsEachKindOfItem) {
  KernelSettings settings = read("# tritonc: signature = \"x = None, n=i32:1, BLOCK=twice\"\n");
  EXPECT_TRUE(settings.arguments[0].constant->is<frontend::NoneType>());
  EXPECT_EQ(frontend::repr(*settings.arguments[1].constant), "1");
  EXPECT_TRUE(settings.arguments[2].constant->is<std::shared_ptr<const frontend::Function>>());
  settings = read("# tritonc: signature = 'tensordesc<fp16[64, 32]>, \"a,b\", tl.float16'\n");
  EXPECT_TRUE(settings.arguments[0].descriptor);
  EXPECT_EQ(frontend::repr(*settings.arguments[1].constant), "'a,b'");
  EXPECT_EQ(settings.items["BLOCK"], "tl.float16");
}

TEST_F(SettingsTest, NamesThePlaceOfErrors) {
  const std::pair<const char *, const char *> comments[] = {
      {"num-warp = 8", "12: error: there is no setting `num-warp`"},
      {"num-warps = 0", "24: error: `num-warps` takes a power of two from 1 to 64, not `0`"},
      {"num-warps = 6", "24: error: `num-warps` takes a power of two from 1 to 64, not `6`"},
      {"num-warps = \"8\"", "24: error: `num-warps` takes a power of two from 1 to 64, not `\"8\"`"},
      {"num-stages = 2 target = \"cpu\"",
       "27: error: `target` stands where a comma or the end of the line must follow"},
      {"num-warps", "21: error: the line ends where `=` must follow"},
      {"target = cpu", "21: error: `cpu` stands where a number, a text in quotes or a list of texts must follow"},
      {"target = \"cpu", "25: error: the line ends where `\"` must follow"},
      {"target = \"xpu:1\"", "22: error: there is no target `xpu:1`: no such kind of machine"},
      {"target = \"cuda\"", "22: error: there is no target `cuda`: its architecture is missing"},
      {"num-warps = 8, num-warps = 4", "27: error: `num-warps` is given twice"},
      {"signature = \"*fp32, i32, 64, i32\"",
       "41: error: the kernel `scale` has no parameter for this item (parameters: 3)"},
      {"signature = \"*fp32, m=i32\"", "32: error: the kernel `scale` has no parameter `m`"},
      {"signature = \"x=*fp32, x=i32\"", "34: error: `x` is given twice"},
      {"signature = \"*fp32, , 64\"", "32: error: an item between two commas is empty"},
      {"signature = \"*fp33\"", "25: error: argument `x`: `*fp33` is not a type; write one like `*fp32`, `i32` or "
                                "`tensordesc<fp16[64, 32]>`, or a constant"},
      {"signature = \"BLOCK=i32\"",
       "25: error: argument `BLOCK`: it is a `tl.constexpr` and takes a constant, not `i32`"},
      {"signature = 4", "24: error: `signature` takes a text such as \"*fp32:16, i32, BLOCK=64\" or a list of texts, "
                        "not `4`"},
  };
  for (auto [text, message] : comments)
    EXPECT_EQ(error(std::string("# tritonc: ") + text + "\n"), std::string("folder/kernels.py:9:") + message) << text;
  const std::pair<const char *, const char *> files[] = {
      {"\nsignature = \"*fp32\"\n",
       "2:1: error: a signature belongs to one kernel, and this stands before the tables of kernels"},
      {"[kernels.scale]\n", "1:1: error: there is no table `[kernels.scale]`"},
      {"[kernel.scale\n", "1:14: error: the line ends where `]` must follow"},
      {"num-warps = 8, num-stages = 2\n", "1:14: error: `,` stands where the end of the line must follow"},
      {"[kernel.scale]\nsignature = [\"*fp32\" \"i32\"]\n",
       "2:22: error: `\"i32\"]` stands where a comma or `]` must follow"},
  };
  for (auto [text, message] : files)
    EXPECT_EQ(error("", text), std::string("folder/.triton.toml:") + message) << text;
}

TEST_F(SettingsTest, AnyTextIsReadOrRefused) {
  const std::string text = "target = \"cpu\" # a\n[kernel.scale]\nsignature = [\"*fp32\\\\\", 'i32'] \nnum-warps = 4\n";
  for (size_t length = 0; length < text.size(); ++length) {
    error("", text.substr(0, length));
    error("# tritonc: " + text.substr(length) + "\n", text.substr(length));
    error("# tritonc: " + text.substr(0, length));
  }
}

TEST(FindSettingsFile, TakesTheNearestAbove) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("settings", folder));
  std::string root(folder), inner = root + "/a/b";
  ASSERT_FALSE(llvm::sys::fs::create_directories(inner));
  std::ofstream(root + "/.triton.toml") << "num-warps = 1\n";
  EXPECT_EQ(findSettingsFile(inner + "/k.py")->fileName(), root + "/.triton.toml");
  std::ofstream(root + "/a/.triton.toml") << "num-warps = 2\n";
  EXPECT_EQ(findSettingsFile(inner + "/k.py")->text(), "num-warps = 2\n");
  llvm::sys::fs::remove_directories(folder);
  EXPECT_EQ(findSettingsFile(inner + "/k.py"), nullptr);
}

} // namespace
