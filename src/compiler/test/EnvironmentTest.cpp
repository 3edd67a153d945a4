#include "base/Environment.h"
#include "CompileFixture.h"

using namespace triton::compiler;

namespace {
class EnvironmentTest : public CompileFixture {};
} // namespace

TEST_F(EnvironmentTest, FlagsFollowThePythonSpellings) {
  for (const char *on : {"1", "on", "ON", "true", "True", "yes", "y"}) {
    set("TRITON_ALWAYS_COMPILE", on);
    EXPECT_TRUE(Environment::read().alwaysCompile) << on;
  }
  for (const char *off : {"", "0", "off", "false", "2"}) {
    set("TRITON_ALWAYS_COMPILE", off);
    EXPECT_FALSE(Environment::read().alwaysCompile) << off;
  }
}

TEST_F(EnvironmentTest, TextInPlaceOfANumberIsNamedOnce) {
  set("TRITON_MOCK_PTX_VERSION", "8.2");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Environment::read().mockPtxVersion, 0u);
  Environment::read();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: TRITON_MOCK_PTX_VERSION is `8.2`, which is not a whole "
                                                    "number, and has no effect; write digits alone\n");
}

TEST_F(EnvironmentTest, DirectoriesFollowHomeUnlessSet) {
  set("TRITON_HOME", "/somewhere");
  set("TRITON_CACHE_DIR", "");
  EXPECT_EQ(Environment::read().cacheDirectory(), "/somewhere/.triton/cache");
  EXPECT_EQ(Environment::read().dumpDirectory(), "/somewhere/.triton/dump");
  set("TRITON_CACHE_DIR", "/elsewhere");
  EXPECT_EQ(Environment::read().cacheDirectory(), "/elsewhere");
}

TEST_F(EnvironmentTest, OnlyWhatDecidesCodeIsPartOfTheKey) {
  std::string before = Environment::read().cacheKey();
  set("TRITON_ALWAYS_COMPILE", "1");
  EXPECT_EQ(Environment::read().cacheKey(), before);
  set("TRITON_DISABLE_LINE_INFO", "1");
  EXPECT_NE(Environment::read().cacheKey(), before);
}

TEST_F(EnvironmentTest, TheDocumentListsEveryVariable) {
  std::string document = read(TRITON_SOURCE_DIR "/docs/options.md");
#define TRITON_ENVIRONMENT(kind, member, variable, inCacheKey, meaning)                                                \
  EXPECT_NE(document.find("| `" variable "` | " + std::string(inCacheKey ? "yes" : "no") + " | " meaning " |"),        \
            std::string::npos)                                                                                         \
      << "docs/options.md lacks or differs in " << variable;
#include "base/Environment.def"
}
