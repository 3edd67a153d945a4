#include "compiler/CacheKey.h"
#include "CompileFixture.h"
#include "compiler/BackendRegistry.h"
#include "compiler/BuildIdentity.h"

using namespace triton;
using namespace triton::compiler;

namespace {

class CacheKeyTest : public CompileFixture {
protected:
  static std::string keyOf(const CompileRequest &request) {
    Environment environment = Environment::read();
    const backends::Backend &backend = requireBackend(request.target);
    auto options = llvm::cantFail(backend.readOptions(request.target, request.options, environment));
    return computeCacheKey(request, request.options, backend.fingerprint(*options), environment).hash;
  }
  static std::string hashOf(const std::string &text) { return hashFunction(*load(text)); }
};

const std::string kernelText = "@triton.jit\ndef kernel(x):\n    tl.store(x, helper(SIZE))\n";
const std::string helperText = "@triton.jit\ndef helper(a):\n    return inner(a) + 1\n";
const std::string innerText = "@triton.jit\ndef inner(a):\n    return a * 2\n";
const std::string sizeText = "SIZE = tl.constexpr(8)\n";

} // namespace

TEST_F(CacheKeyTest, EqualSourcesHashEqually) {
  std::string text = sizeText + innerText + helperText + kernelText;
  EXPECT_EQ(hashOf(text), hashOf(text));
}

TEST_F(CacheKeyTest, EveryReachedFunctionAndValueCounts) {
  std::string original = hashOf(sizeText + innerText + helperText + kernelText);
  EXPECT_NE(original, hashOf("SIZE = tl.constexpr(9)\n" + innerText + helperText + kernelText));
  EXPECT_NE(original, hashOf(sizeText + "@triton.jit\ndef inner(a):\n    return a * 3\n" + helperText + kernelText));
  EXPECT_NE(original,
            hashOf(sizeText + innerText + "@triton.jit\ndef helper(a):\n    return inner(a) + 2\n" + kernelText));
  EXPECT_NE(original,
            hashOf(sizeText + innerText + helperText + "@triton.jit\ndef kernel(x):\n    tl.store(x, helper(1))\n"));
}

TEST_F(CacheKeyTest, WhatIsNotReachedDoesNotCount) {
  std::string text = sizeText + innerText + helperText + kernelText;
  EXPECT_EQ(hashOf(text), hashOf(text + "@triton.jit\ndef unrelated(a):\n    return a\nOTHER = 5\n"));
}

TEST_F(CacheKeyTest, MutualRecursionEnds) {
  std::string text = "@triton.jit\ndef even(a):\n    return odd(a)\n@triton.jit\ndef odd(a):\n    return even(a)\n"
                     "@triton.jit\ndef kernel(x):\n    even(x)\n";
  EXPECT_EQ(hashOf(text).size(), 64u);
}

TEST_F(CacheKeyTest, ArgumentsOptionsTargetAndEnvironmentCount) {
  CompileRequest request = addRequest();
  std::vector<std::string> keys = {keyOf(request)};
  auto expectNew = [&](const char *what) {
    std::string key = keyOf(request);
    EXPECT_EQ(std::count(keys.begin(), keys.end(), key), 0) << what;
    keys.push_back(key);
  };
  request.arguments[0].divisibility = 16;
  expectNew("divisibility");
  request.arguments[0].type = *base::parseElementType("*fp16");
  expectNew("type");
  request.arguments[1] = constant("BLOCK", 64);
  expectNew("constant");
  request.options.enableFpFusion = false;
  expectNew("fusion");
  request.options.debug = true;
  expectNew("debug");
  request.options.arch = "x86-64-v3";
  expectNew("arch");
  request.options.extra["maxnreg"] = "3";
  expectNew("extra option");
  set("DISABLE_LLVM_OPT", "1");
  expectNew("environment");
  request.kernelName = "renamed";
  expectNew("symbol");
}

TEST_F(CacheKeyTest, AFunctionAmongTheConstantsCountsByItsText) {
  CompileRequest request = addRequest();
  request.arguments[1].constant = frontend::makeObject(load("@triton.jit\ndef f(a):\n    return a\n", "f"));
  std::string first = keyOf(request);
  request.arguments[1].constant = frontend::makeObject(load("@triton.jit\ndef f(a):\n    return a + 1\n", "f"));
  EXPECT_NE(first, keyOf(request));
}

TEST_F(CacheKeyTest, TheBuildHasAnIdentity) {
  EXPECT_GE(buildIdentity().size(), 8u);
  EXPECT_NE(buildIdentity(), "unknown");
}
