#include <triton/context.h>

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using triton::constant;
using triton::Context;
using triton::Kernel;
using triton::Module;
using triton::type;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

const char *const kernels = R"(
import triton
import triton.language as tl

@triton.jit
def add(x, out, n, VALUE: tl.constexpr, BLOCK: tl.constexpr = 64):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + VALUE, mask=i < n)

@triton.jit
def wrong(x):
    tl.store(x, undefined_name)
)";

class ApiContext : public testing::Test {
protected:
  ApiContext() : folder(fs::temp_directory_path() / ("triton-context-" + std::to_string(getpid()))) {
    fs::create_directories(folder);
  }
  ~ApiContext() override { fs::remove_all(folder); }

  std::string cache(const char *name) const { return folder / name; }
  static Kernel kernel(const Context &context, const char *name = "add") {
    return Module::fromString(kernels, "kernels.py", context).kernel(name);
  }
  static void run(const Kernel &add, int value) {
    std::vector<float> x(64, 1.0f), out(64);
    add.launch({}, x, out, 64, constant("VALUE", value));
    EXPECT_EQ(out[63], 1.0f + float(value));
  }
  static std::size_t filesIn(const fs::path &folder) {
    std::size_t count = 0;
    for (const auto &entry : fs::recursive_directory_iterator(folder))
      count += entry.is_regular_file() && entry.path().extension() == ".o";
    return count;
  }

  fs::path folder;
};

} // namespace

TEST_F(ApiContext, TwoOfThemShareNothing) {
  Context first({.cacheDirectory = cache("first")}), second({.cacheDirectory = cache("second")});
  run(kernel(first), 1);
  run(kernel(first), 2);
  run(kernel(second), 1);
  EXPECT_EQ(first.metrics().compilations, 2u);
  EXPECT_EQ(second.metrics().compilations, 1u);
  EXPECT_EQ(filesIn(cache("first")), 2u);
  EXPECT_EQ(filesIn(cache("second")), 1u);
  EXPECT_EQ(first.cacheDirectory(), cache("first"));
}

TEST_F(ApiContext, CountsHitsInMemoryAndOnDisk) {
  {
    Context context({.cacheDirectory = cache("c")});
    Kernel add = kernel(context);
    for (int i = 0; i < 5; ++i)
      run(add, 1);
    triton::Metrics metrics = context.metrics();
    EXPECT_EQ(metrics.launches, 5u);
    EXPECT_EQ(metrics.memoryHits, 4u);
    EXPECT_EQ(metrics.compilations, 1u);
    EXPECT_EQ(metrics.waits, 1u);
    EXPECT_EQ(metrics.residentKernels, 1u);
    EXPECT_GT(metrics.residentBytes, 1000u);
    EXPECT_GT(metrics.compileSeconds, 0.0);
    EXPECT_GT(metrics.waitSeconds, 0.0);
  }
  Context later({.cacheDirectory = cache("c")});
  run(kernel(later), 1);
  EXPECT_EQ(later.metrics().diskHits, 1u);
  EXPECT_EQ(later.metrics().compilations, 0u);
}

TEST_F(ApiContext, CompilesAheadForLaunchesToCome) {
  Context context({.cacheDirectory = cache("c")});
  Kernel add = kernel(context);
  triton::CompileFuture future =
      add.compileAsync({}, type("*fp32:16"), type("*fp32:16"), type("i32:16"), constant("VALUE", 1));
  EXPECT_TRUE(future.waitFor(60s));
  EXPECT_TRUE(future.isReady());
  EXPECT_EQ(future.get().name(), "add");
  alignas(16) float x[64] = {}, out[64] = {};
  add.launch({}, x, out, 64, constant("VALUE", 1));
  EXPECT_EQ(out[0], 1.0f);
  EXPECT_EQ(context.metrics().compilations, 1u);
  EXPECT_EQ(context.metrics().memoryHits, 1u);
}

TEST_F(ApiContext, FuturesOutliveTheirContext) {
  std::optional<triton::CompileFuture> future;
  {
    Context context({.cacheDirectory = cache("c")});
    future = kernel(context).compileAsync({}, type("*fp32"), type("*fp32"), type("i32"), constant("VALUE", 1));
  }
  EXPECT_FALSE(future->get().artifact("asm").empty());
}

TEST_F(ApiContext, DroppedFuturesAreCompiledAllTheSame) {
  Context context({.cacheDirectory = cache("c"), .compileThreads = 1});
  Kernel add = kernel(context);
  for (int i = 0; i < 3; ++i)
    (void)add.compileAsync({}, type("*fp32"), type("*fp32"), type("i32"), constant("VALUE", i));
  while (context.metrics().compilations < 3)
    std::this_thread::sleep_for(5ms);
  EXPECT_EQ(context.metrics().residentKernels, 3u);
}

TEST_F(ApiContext, ErrorsReachEveryoneWhoWaits) {
  Context context({.cacheDirectory = cache("c")});
  Kernel wrong = kernel(context, "wrong");
  triton::CompileFuture future = wrong.compileAsync({}, type("*fp32"));
  for (int i = 0; i < 2; ++i)
    try {
      future.get();
      FAIL() << "no error";
    } catch (const triton::Error &error) {
      EXPECT_EQ(error.kind(), triton::Error::Kind::Compile);
      EXPECT_NE(error.message().find("undefined_name"), std::string::npos) << error.what();
      EXPECT_EQ(error.line(), 12u);
    }
  float x = 0;
  EXPECT_FALSE(wrong.tryLaunch({}, &x));
  EXPECT_EQ(context.metrics().failures, 2u);
  EXPECT_EQ(context.metrics().launches, 0u);
  EXPECT_THROW((void)wrong.compileAsync({}, type("*fp33")), triton::Error);
  EXPECT_THROW((void)wrong.compileAsync({.target = "mips"}, type("*fp32")), triton::Error);
}

TEST_F(ApiContext, KeepsToItsLimitOfKernels) {
  Context context({.cacheDirectory = cache("c"), .residentKernels = 2});
  Kernel add = kernel(context);
  for (int round = 0; round < 2; ++round)
    for (int value = 0; value < 4; ++value)
      run(add, value);
  triton::Metrics metrics = context.metrics();
  EXPECT_EQ(metrics.residentKernels, 2u);
  EXPECT_EQ(metrics.compilations, 4u);
  EXPECT_EQ(metrics.diskHits, 4u) << "what was dropped is read again";
  EXPECT_EQ(metrics.evictions, 6u);
  run(add, 3);
  EXPECT_EQ(context.metrics().diskHits, 4u) << "what was used last is still there";
}

TEST_F(ApiContext, KernelsGoWithTheirModule) {
  Context context({.cacheDirectory = cache("c")});
  for (int i = 0; i < 3; ++i) {
    Module module = Module::fromString(kernels, "kernels.py", context);
    run(module.kernel("add"), 1);
    run(module.kernel("add"), 1);
    EXPECT_EQ(context.metrics().residentKernels, 1u);
  }
  EXPECT_EQ(context.metrics().residentKernels, 0u);
  EXPECT_EQ(context.metrics().memoryHits, 3u) << "handles of one kernel share what is compiled";
}

TEST_F(ApiContext, RefusesACacheThatCannotBe) {
  std::ofstream(folder / "file") << "text";
  try {
    Context context({.cacheDirectory = folder / "file" / "below"});
    FAIL() << "no error";
  } catch (const triton::Error &error) {
    EXPECT_EQ(error.kind(), triton::Error::Kind::Launch);
    EXPECT_NE(std::string(error.what()).find("/file/below"), std::string::npos) << error.what();
  }
  fs::create_directories(folder / "open");
  fs::permissions(folder / "open", fs::perms::all);
  EXPECT_THROW(Context({.cacheDirectory = folder / "open"}), triton::Error);
}

TEST_F(ApiContext, ItsLimitOfBytesHoldsOnDisk) {
  Context context({.cacheDirectory = cache("c"), .cacheBytes = 60 << 10});
  Kernel add = kernel(context);
  for (int value = 0; value < 12; ++value)
    run(add, value);
  std::uintmax_t bytes = 0;
  for (const auto &entry : fs::recursive_directory_iterator(cache("c")))
    bytes += entry.is_regular_file() ? entry.file_size() : 0;
  EXPECT_LE(bytes, 60u << 10);
  EXPECT_GE(filesIn(cache("c")), 1u);
}

TEST_F(ApiContext, ItsLimitOfAssemblersHolds) {
  Context context({.cacheDirectory = cache("c"), .compileThreads = 4, .assemblerProcesses = 1});
  Kernel add = kernel(context);
  std::vector<triton::CompileFuture> futures;
  futures.reserve(4);
  for (int value = 0; value < 4; ++value)
    futures.push_back(
        add.compileAsync({.target = "cuda:90"}, type("*fp32"), type("*fp32"), type("i32"), constant("VALUE", value)));
  for (const triton::CompileFuture &future : futures) {
    while (!future.waitFor(1ms))
      EXPECT_LE(context.metrics().assemblersNow, 1u);
    EXPECT_FALSE(future.get().artifact("cubin").empty());
  }
  EXPECT_GE(context.metrics().assemblers, 4u);
  EXPECT_EQ(context.metrics().assemblersNow, 0u);
}

TEST_F(ApiContext, AForkedChildCompilesWithoutAContext) {
  Kernel add = Module::fromString(kernels, "kernels.py").kernel("add");
  run(add, 1);
  auto future = add.compileAsync({}, type("*fp32"), type("*fp32"), type("i32"), constant("VALUE", 2));
  pid_t child = fork();
  if (child == 0) {
    run(add, 1);
    run(add, 2);
    run(add, 3);
    _exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  future.get();
}

TEST_F(ApiContext, MetricsAsText) {
  Context context({.cacheDirectory = cache("c")});
  run(kernel(context), 1);
  std::string text = context.metrics().toPrometheus("service=\"a\"");
  EXPECT_NE(text.find("# TYPE triton_launches_total counter\ntriton_launches_total{service=\"a\"} 1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("# TYPE triton_resident_bytes gauge\n"), std::string::npos);
  EXPECT_NE(context.metrics().toPrometheus().find("\ntriton_compilations_total 1\n"), std::string::npos);
  std::string json = context.metrics().toJson();
  EXPECT_EQ(json.front(), '{');
  EXPECT_NE(json.find("\"compilations\": 1"), std::string::npos) << json;
  EXPECT_EQ(json.back(), '}');
}

// Run it under ThreadSanitizer as docs/testing.md says.
TEST_F(ApiContext, ManyThreadsAndFewKernels) {
  constexpr int threadCount = 12, rounds = 60, values = 6;
  Context small({.cacheDirectory = cache("small"), .compileThreads = 2, .residentKernels = 3});
  Context large({.cacheDirectory = cache("large"), .compileThreads = 2});
  std::atomic<int> wrongResults = 0;
  auto work = [&](int seed) {
    Kernel kernels[] = {kernel(small), kernel(large)};
    for (int round = 0; round < rounds; ++round) {
      int value = (round * 7 + seed) % values;
      const Kernel &add = kernels[(round / 3 + seed) % 2];
      if (round % 10 == 3)
        (void)add.compileAsync({}, type("*fp32"), type("*fp32"), type("i32"), constant("VALUE", value));
      if (round % 20 == 7)
        (void)large.metrics().toJson();
      std::vector<float> x(64, 1.0f), out(64);
      add.launch({.threads = 1}, x, out, 64, constant("VALUE", value));
      wrongResults += out[63] != 1.0f + float(value);
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(threadCount);
  for (int i = 0; i < threadCount; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrongResults, 0);
  EXPECT_EQ(small.metrics().launches + large.metrics().launches, uint64_t(threadCount) * rounds);
  // Per value: addresses that are multiples of 16 (64 bytes of a vector may not be), and types without hints.
  EXPECT_LE(large.metrics().compilations, 4u * values);
  run(kernel(small), values); // nothing else is in use now
  EXPECT_GT(small.metrics().evictions, 0u);
  EXPECT_LE(small.metrics().residentKernels, 3u);
}
