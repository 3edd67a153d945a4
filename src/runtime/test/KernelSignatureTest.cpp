#include "runtime/KernelSignature.h"
#include "frontend/ModuleLoader.h"
#include "frontend/lowering/BuiltinModules.h"

#include <gtest/gtest.h>

using namespace triton;
using runtime::KernelParameter;

static std::vector<KernelParameter> parametersOf(const std::string &definition) {
  auto module = frontend::LoadedModule::fromText(
      "import triton\nimport triton.language as tl\nSIZE: tl.constexpr = 8\n" + definition + "    pass\n", "test.py",
      frontend::builtinModule);
  return runtime::readParameters(*module->function("kernel"));
}

TEST(KernelSignature, ReadsAnnotations) {
  auto parameters = parametersOf("@triton.jit\ndef kernel(a, b: tl.constexpr, c: tl.const, d: tl.int64, e: \"*fp16\", "
                                 "f: \"const *fp32\", g: \"fp32*\", h: something):\n");
  ASSERT_EQ(parameters.size(), 8u);
  EXPECT_FALSE(parameters[0].rule.isConstexpr);
  EXPECT_TRUE(parameters[1].rule.isConstexpr);
  EXPECT_TRUE(parameters[2].rule.isConst);
  ASSERT_TRUE(parameters[3].rule.type);
  EXPECT_EQ(parameters[3].rule.type->str(), "i64");
  EXPECT_EQ(parameters[4].rule.type->str(), "*fp16");
  EXPECT_EQ(parameters[5].rule.type->str(), "*kfp32");
  EXPECT_EQ(parameters[6].rule.type->str(), "*fp32");
  EXPECT_FALSE(parameters[7].rule.type);
}

TEST(KernelSignature, ReadsDefaults) {
  auto parameters = parametersOf("@triton.jit\ndef kernel(a, b=3, c=-0.5, d=True, e=None, f='s', g=tl.float16, "
                                 "h=SIZE, i=(1, 2)):\n");
  ASSERT_EQ(parameters.size(), 9u);
  EXPECT_FALSE(parameters[0].hasDefault);
  const char *expected[] = {"3", "-0.5", "True", "None", "'s'", "triton.language.float16", "8", "(1, 2)"};
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(parameters[i + 1].defaultValue) << i;
    EXPECT_EQ(frontend::repr(*parameters[i + 1].defaultValue), expected[i]);
  }
}

TEST(KernelSignature, ReadsDecorators) {
  auto parameters = parametersOf("@triton.jit(do_not_specialize=['n', 2], do_not_specialize_on_alignment=('x',))\n"
                                 "def kernel(x, n, m, k):\n");
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_TRUE(parameters[0].rule.doNotSpecializeOnAlignment);
  EXPECT_TRUE(parameters[1].rule.doNotSpecialize);
  EXPECT_TRUE(parameters[2].rule.doNotSpecialize);
  EXPECT_FALSE(parameters[3].rule.doNotSpecialize);
}
