#include "compiler/TieredKernel.h"
#include "CompileFixture.h"

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace triton::compiler {
namespace {

using base::LoadedKernel;

/// Writes a number to where its argument points, after some time.
class WritingKernel final : public LoadedKernel {
public:
  explicit WritingKernel(int number, int milliseconds = 0) : number(number), milliseconds(milliseconds) {}
  void launch(const base::KernelLaunch &launch) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    *reinterpret_cast<int *>(launch.arguments[0]) = number;
  }

private:
  int number, milliseconds;
};

int launched(const LoadedKernel &kernel) {
  int number = 0;
  uint64_t slot = reinterpret_cast<uintptr_t>(&number);
  kernel.launch({.arguments = {&slot, 1}});
  return number;
}

std::shared_ptr<const LoadedKernel> tiered(int milliseconds, MakeBetterCode makeBetter) {
  return makeTieredKernel("kernel", std::make_shared<WritingKernel>(1, milliseconds), std::move(makeBetter));
}

TEST(TieredKernelTest, IsReplacedOnceItHasRunForSomeTime) {
  std::atomic<int> made = 0;
  auto kernel = tiered(2, [&] { return ++made, std::make_shared<WritingKernel>(2); });
  waitForBetterCode();
  EXPECT_EQ(made, 0) << "nothing was launched";
  EXPECT_EQ(launched(*kernel), 1);
  waitForBetterCode();
  EXPECT_EQ(launched(*kernel), 2);
  waitForBetterCode();
  EXPECT_EQ(made, 1);
}

TEST(TieredKernelTest, KeepsItsCodeIfThereIsNoBetterOne) {
  auto kernel = tiered(2, []() -> std::shared_ptr<const LoadedKernel> { throw std::runtime_error("no code today"); });
  testing::internal::CaptureStderr();
  EXPECT_EQ(launched(*kernel), 1);
  waitForBetterCode();
  EXPECT_EQ(launched(*kernel), 1);
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("warning: the kernel `kernel` goes on with"), std::string::npos) << text;
  EXPECT_NE(text.find("no code today"), std::string::npos) << text;
}

TEST(TieredKernelTest, MayBeDroppedBeforeItIsReplaced) {
  for (int i = 0; i < 3; ++i)
    launched(*tiered(2, [] { return std::make_shared<WritingKernel>(2); }));
  waitForBetterCode();
}

TEST(TieredKernelTest, ThreadsLaunchItWhileItIsReplaced) {
  auto kernel = tiered(1, [] { return std::make_shared<WritingKernel>(2); });
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      int last = 1;
      for (int launch = 0; launch < 100; ++launch) {
        int number = launched(*kernel);
        EXPECT_GE(number, last) << "a launch went back to the quick code";
        last = number;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  waitForBetterCode();
  EXPECT_EQ(launched(*kernel), 2);
}

TEST(TieredKernelTest, IsReplacedInTheChildOfAFork) {
  auto first = tiered(2, [] { return std::make_shared<WritingKernel>(2); });
  launched(*first);
  pid_t child = fork(); // while the thread may be at work
  if (child == 0) {
    auto kernel = tiered(2, [] { return std::make_shared<WritingKernel>(2); });
    bool isQuick = launched(*kernel) == 1;
    waitForBetterCode();
    _exit(isQuick && launched(*kernel) == 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

class TiersTest : public CompileFixture {
protected:
  std::size_t cachedFiles() { return filesBelow(directory + "/cache").size(); }
  static CompileRequest launchRequest() {
    CompileRequest request = addRequest();
    request.isForLaunches = true;
    return request;
  }
};

TEST_F(TiersTest, TheCacheGetsTheBetterCodeAlone) {
  auto full = compile(launchRequest());
  std::string code = artifact(*full, "o");
  set("TRITON_CPU_TIERS", "1");
  set("TRITON_CACHE_DIR", directory + "/other");
  auto kernel = compile(launchRequest());
  EXPECT_NE(artifact(*kernel, "o"), code);
  EXPECT_EQ(kernel->hash, full->hash);
  EXPECT_TRUE(filesBelow(directory + "/other").empty());
  for (int launch = 0; launch < 200000 && filesBelow(directory + "/other").empty(); ++launch) {
    EXPECT_EQ(runOnZeros(*kernel), 1.0f);
    if (launch % 1000 == 0)
      waitForBetterCode();
  }
  waitForBetterCode();
  EXPECT_EQ(runOnZeros(*kernel), 1.0f);
  auto cached = compile(launchRequest());
  EXPECT_TRUE(cached->isFromCache);
  EXPECT_EQ(artifact(*cached, "o"), code);
}

TEST_F(TiersTest, OthersThanLaunchesAndDebuggersGetTheCodeThatStays) {
  set("TRITON_CPU_TIERS", "1");
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
  EXPECT_EQ(cachedFiles(), 7u);
  CompileRequest request = launchRequest();
  request.options.debug = true;
  EXPECT_EQ(runOnZeros(*compile(request)), 1.0f);
  EXPECT_EQ(cachedFiles(), 14u);
}

} // namespace
} // namespace triton::compiler
