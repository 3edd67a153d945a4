// Profiles by the public API.
#include <triton/profiler.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace profiler = triton::profiler;

namespace {

void launchFill() {
  static const triton::Kernel kernel = triton::Module::fromString(R"(
import triton
import triton.language as tl

@triton.jit
def fill(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)
)",
                                                                  "fill.py")
                                           .kernel("fill");
  std::vector<float> x(64);
  kernel.launch({}, x, triton::constant("BLOCK", 64));
}

bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

TEST(Profiler, ScopesAndFiles) {
  std::string name = testing::TempDir() + "profiler-test";
  profiler::Session session({.name = name});
  {
    profiler::Scope outer("outer", {{"tokens", std::int64_t(3)}, {"rate (pty)", 0.5}});
    launchFill();
    profiler::Scope inner("inner");
    launchFill();
    launchFill();
  }
  std::string text = session.json();
  for (const char *part : {R"("name":"outer")", R"("name":"inner")", R"("name":"fill")", R"("count":2)",
                           R"("rate":0.5,"tokens":3)", R"("device_type":"CPU")"})
    EXPECT_TRUE(contains(text, part)) << part << " in " << text;
  session.finalize();
  std::stringstream written;
  written << std::ifstream(name + ".hatchet").rdbuf();
  EXPECT_EQ(written.str(), text);
  std::filesystem::remove(name + ".hatchet");
}

TEST(Profiler, ASessionEndsWithItsObject) {
  std::string name = testing::TempDir() + "profiler-end";
  {
    profiler::Session session({.name = name, .data = "trace"});
    profiler::Session moved = std::move(session);
    profiler::Scope scope("s");
    EXPECT_EQ(moved.advancePhase(), 1);
    moved.deactivate();
    launchFill();
    moved.activate();
  }
  EXPECT_TRUE(std::filesystem::remove(name + ".part_0.chrome_trace"));
  EXPECT_TRUE(std::filesystem::remove(name + ".part_1.chrome_trace"));
  profiler::Scope nobodyListens("s");
}

TEST(Profiler, Mistakes) {
  auto messageOf = [](auto body) -> std::string {
    try {
      body();
    } catch (const triton::Error &error) {
      EXPECT_EQ(error.kind(), triton::Error::Kind::Run);
      return error.message();
    }
    return "";
  };
  EXPECT_TRUE(contains(messageOf([] { profiler::Session({.backend = "vtune"}); }), "no backend `vtune`"));
  EXPECT_TRUE(contains(messageOf([] { profiler::Session({.data = "list"}); }), "`list` is no kind of data"));
  profiler::Session session({.name = "/no/such/folder/profile"});
  EXPECT_TRUE(contains(messageOf([&] { session.finalize("svg"); }), "`svg` is not a format"));
  EXPECT_TRUE(contains(messageOf([&] { session.finalize(); }), "cannot write the profile"));
  EXPECT_TRUE(contains(messageOf([&] { session.activate(); }), "no session"));
}

} // namespace
