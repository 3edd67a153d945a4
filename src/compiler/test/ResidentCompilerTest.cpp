// The queue, the limits and the numbers of a resident compiler, with compilations that do what a test wants.
#include "compiler/ResidentCompiler.h"
#include "CompileFixture.h"

#include <latch>
#include <thread>

using namespace triton::compiler;
using namespace std::chrono_literals;

namespace {

/// A kernel that notes when it is taken off the devices.
class NotedKernel final : public triton::base::LoadedKernel {
public:
  NotedKernel(std::string name, std::mutex &mutex, std::vector<std::string> &unloaded)
      : name(std::move(name)), mutex(mutex), unloaded(unloaded) {}
  void launch(const triton::base::KernelLaunch &) const override {}
  void unload() const override {
    std::lock_guard lock(mutex);
    unloaded.push_back(name);
  }

private:
  std::string name;
  std::mutex &mutex;
  std::vector<std::string> &unloaded;
};

class ResidentCompilerTest : public CompileFixture {
protected:
  std::shared_ptr<ResidentCompiler> make(ResidentLimits limits) {
    return std::make_shared<ResidentCompiler>(limits, Environment::read(),
                                              [this](const CompileRequest &request) { return compileFake(request); });
  }

  /// A kernel of 1000 bytes; "bad" fails; "gate" waits for the gate to open; "pair" and "other of pair" for each other.
  std::shared_ptr<const CompiledKernel> compileFake(const CompileRequest &request) {
    unsigned now = ++running;
    for (unsigned seen = most; seen < now && !most.compare_exchange_weak(seen, now);)
      ;
    if (request.kernelName == "gate")
      gate.wait();
    if (request.kernelName.ends_with("pair"))
      pair.arrive_and_wait();
    std::this_thread::sleep_for(1ms);
    {
      std::lock_guard lock(mutex);
      compiled.push_back(request.kernelName);
    }
    --running;
    if (request.kernelName == "bad")
      throw CompilationError(CompilationError::Kind::General, "error: bad", "bad", 0, 0);
    auto kernel = std::make_shared<CompiledKernel>();
    kernel->name = request.kernelName;
    kernel->artifacts["ttir"] = std::string(1000, ' ');
    kernel->loaded = std::make_shared<NotedKernel>(kernel->name, mutex, unloaded);
    return kernel;
  }

  CompileRequest request(const std::string &name) {
    CompileRequest result = addRequest();
    result.kernelName = name;
    result.options.extra = {};
    result.function = functionOf(name);
    return result;
  }

  /// Each name has its own text, so that the requests differ.
  std::shared_ptr<const triton::frontend::Function> functionOf(const std::string &name) {
    std::lock_guard lock(mutex);
    auto &function = functions[name];
    if (!function)
      function = load("@triton.jit\ndef kernel(x, BLOCK: tl.constexpr):\n    tl.store(x, '" + name + "')\n");
    return function;
  }

  /// A thread of the compiler may still be about to unload what it dropped.
  void expectUnloaded(const std::vector<std::string> &expected) {
    auto now = [this] {
      std::lock_guard lock(mutex);
      return unloaded;
    };
    for (int i = 0; i < 2000 && now() != expected; ++i)
      std::this_thread::sleep_for(1ms);
    EXPECT_EQ(now(), expected);
  }

  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const triton::frontend::Function>> functions;
  std::vector<std::string> compiled, unloaded;
  std::atomic<unsigned> running = 0, most = 0;
  std::latch gate{1}, pair{2};
};

} // namespace

TEST_F(ResidentCompilerTest, CompilesEachVariantOnce) {
  auto compiler = make({.compilations = 4});
  std::vector<std::thread> threads;
  threads.reserve(32);
  std::vector<ResidentCompiler::Claim> claims(32);
  for (int i = 0; i < 32; ++i)
    threads.emplace_back([&, i] {
      auto [kernel, claim] = compiler->request(request(i % 2 ? "odd" : "even"), true);
      EXPECT_EQ(compiler->wait(kernel)->name, i % 2 ? "odd" : "even");
      claims[size_t(i)] = std::move(claim);
    });
  for (std::thread &thread : threads)
    thread.join();
  ResidentCounts counts = compiler->counts();
  EXPECT_EQ(compiled.size(), 2u);
  EXPECT_EQ(counts.compilations, 2u);
  EXPECT_EQ(counts.joined + counts.memoryHits, 30u);
  EXPECT_EQ(counts.kernels, 2u);
  EXPECT_GE(counts.bytes, 2000u);
}

TEST_F(ResidentCompilerTest, KeepsToTheNumberOfCompilations) {
  auto compiler = make({.compilations = 2});
  std::vector<std::pair<std::shared_ptr<ResidentKernel>, ResidentCompiler::Claim>> kernels;
  kernels.reserve(22);
  for (const char *name : {"pair", "other of pair"}) // at once, however busy the machine is
    kernels.push_back(compiler->request(request(name), false));
  for (int i = 0; i < 20; ++i)
    kernels.push_back(compiler->request(request("k" + std::to_string(i)), false));
  for (auto &[kernel, claim] : kernels)
    compiler->wait(kernel);
  EXPECT_EQ(most, 2u);
  EXPECT_EQ(compiler->counts().running, 0u);
  EXPECT_EQ(compiler->counts().queued, 0u);
}

TEST_F(ResidentCompilerTest, WhatSomebodyWaitsForComesFirst) {
  auto compiler = make({.compilations = 1});
  auto blocked = compiler->request(request("gate"), false);
  while (running == 0)
    std::this_thread::sleep_for(1ms);
  std::vector<std::pair<std::shared_ptr<ResidentKernel>, ResidentCompiler::Claim>> kernels;
  for (const char *name : {"a", "b", "c"})
    kernels.push_back(compiler->request(request(name), false));
  auto urgent = compiler->request(request("urgent"), true);
  std::thread opener([&] {
    while (compiler->counts().waits == 0)
      std::this_thread::sleep_for(1ms);
    gate.count_down();
  });
  compiler->wait(kernels[2].first); // moves it forwards
  opener.join();
  for (auto &[kernel, claim] : kernels)
    compiler->wait(kernel);
  EXPECT_EQ(compiled, (std::vector<std::string>{"gate", "urgent", "c", "a", "b"}));
}

TEST_F(ResidentCompilerTest, WhatWasUsedLeastRecentlyGoesFirst) {
  auto compiler = make({.kernels = 2});
  std::vector<ResidentCompiler::Claim> claims;
  auto use = [&](const char *name) {
    auto [kernel, claim] = compiler->request(request(name), true);
    compiler->wait(kernel);
    claims.push_back(std::move(claim));
  };
  use("a");
  use("b");
  use("a");
  use("c"); // b goes
  expectUnloaded(std::vector<std::string>{"b"});
  use("a");
  EXPECT_EQ(compiled, (std::vector<std::string>{"a", "b", "c"}));
  use("b"); // c goes
  expectUnloaded(std::vector<std::string>{"b", "c"});
  EXPECT_EQ(compiler->counts().evictions, 2u);
  EXPECT_EQ(compiler->counts().kernels, 2u);
}

TEST_F(ResidentCompilerTest, NothingGoesThatIsInUse) {
  auto compiler = make({.bytes = 2500});
  auto a = compiler->request(request("a"), true);
  std::shared_ptr<const CompiledKernel> held = compiler->wait(a.first);
  a.first.reset(); // the result alone is held
  auto b = compiler->request(request("b"), true);
  compiler->wait(b.first);
  auto c = compiler->request(request("c"), true);
  compiler->wait(c.first);
  EXPECT_TRUE(unloaded.empty());
  EXPECT_EQ(compiler->counts().kernels, 3u);
  held.reset();
  b.first.reset();
  auto d = compiler->request(request("d"), true);
  compiler->wait(d.first);
  expectUnloaded(std::vector<std::string>{"a", "b"});
  EXPECT_LE(compiler->counts().bytes, 2500u);
}

TEST_F(ResidentCompilerTest, KernelsGoWithTheirLastClaim) {
  auto compiler = make({});
  auto first = compiler->request(request("a"), true);
  compiler->wait(first.first);
  auto second = compiler->request(request("a"), true);
  first = {};
  EXPECT_EQ(compiler->counts().kernels, 1u);
  second = {};
  EXPECT_EQ(compiler->counts().kernels, 0u);
  EXPECT_EQ(compiler->counts().bytes, 0u);
  expectUnloaded(std::vector<std::string>{"a"});
}

TEST_F(ResidentCompilerTest, FailuresAreToldToAllAndTriedAgain) {
  auto compiler = make({});
  auto first = compiler->request(request("bad"), false), second = compiler->request(request("bad"), false);
  EXPECT_THROW(compiler->wait(first.first), CompilationError);
  EXPECT_THROW(compiler->wait(second.first), CompilationError);
  EXPECT_THROW(compiler->wait(compiler->request(request("bad"), true).first), CompilationError);
  EXPECT_EQ(compiler->counts().failures, 2u);
  EXPECT_EQ(compiler->counts().kernels, 0u);
}

TEST_F(ResidentCompilerTest, TheEndGivesUpWhatIsQueued) {
  auto compiler = make({.compilations = 1});
  auto blocked = compiler->request(request("gate"), false);
  auto queued = compiler->request(request("queued"), false);
  while (running == 0)
    std::this_thread::sleep_for(1ms);
  std::thread opener([&] {
    while (compiler->counts().queued != 0) // until the end has begun
      std::this_thread::sleep_for(1ms);
    gate.count_down();
  });
  compiler->stop();
  opener.join();
  EXPECT_EQ(compiled, std::vector<std::string>{"gate"});
}

TEST_F(ResidentCompilerTest, APassiveOneCompilesOnTheCaller) {
  auto compiler = make({.isPassive = true});
  auto kernel = compiler->request(request("a"), true);
  std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(compiled.empty());
  compiler->wait(kernel.first);
  EXPECT_EQ(compiled, std::vector<std::string>{"a"});
  auto ahead = compiler->request(request("b"), false);
  EXPECT_TRUE(compiler->waitUntil(ahead.first, ResidentCompiler::Clock::now() + 300s));
}

TEST_F(ResidentCompilerTest, ProgramsKeepToTheirLimit) {
  ProcessLimit limit(2);
  EXPECT_TRUE(limit.tryAcquire());
  limit.acquire();
  EXPECT_FALSE(limit.tryAcquire());
  std::thread waiting([&] { limit.acquire(); });
  while (limit.count().waiting == 0)
    std::this_thread::sleep_for(1ms);
  limit.release();
  waiting.join();
  EXPECT_EQ(limit.count().running, 2u);
  EXPECT_EQ(limit.count().started, 3u);
}
