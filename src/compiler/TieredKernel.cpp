#include "compiler/TieredKernel.h"

#include "compiler/CompilerThread.h"

#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <pthread.h>
#include <utility>

using namespace triton;
using namespace triton::compiler;
using base::LoadedKernel;
using Clock = std::chrono::steady_clock;

/// A kernel whose launches took this long altogether gets better code: a tenth of what it takes to make that.
static constexpr std::chrono::nanoseconds timeUntilReplaced = std::chrono::milliseconds(1);

namespace {

class TieredKernel final : public LoadedKernel, public std::enable_shared_from_this<TieredKernel> {
public:
  TieredKernel(std::string name, std::shared_ptr<const LoadedKernel> quick, MakeBetterCode makeBetter)
      : name(std::move(name)), quick(std::move(quick)), makeBetter(std::move(makeBetter)), current(this->quick.get()) {}

  void launch(const base::KernelLaunch &launch) const override;
  base::KernelFacts load() const override { return code()->load(); }
  void unload() const override { code()->unload(); }
  bool checksAccesses() const override { return quick->checksAccesses(); }

  void replace() const;

private:
  const LoadedKernel *code() const { return current.load(std::memory_order_acquire); }

  const std::string name;
  const std::shared_ptr<const LoadedKernel> quick; ///< kept, because launches of other threads may be in it
  // Used by the thread in the background alone.
  mutable MakeBetterCode makeBetter;
  mutable std::shared_ptr<const LoadedKernel> better;
  mutable std::atomic<const LoadedKernel *> current;
  mutable std::atomic<Clock::rep> launched = 0; ///< nanoseconds
  mutable std::atomic<bool> isRequested = false;
};

/// The thread that replaces kernels, one after another.
class Replacer {
public:
  /// Never destroyed, because kernels may be launched after static objects are.
  static Replacer &get() {
    static auto *replacer = new Replacer;
    return *replacer;
  }

  void add(std::weak_ptr<const TieredKernel> kernel) {
    std::lock_guard lock(mutex);
    if (isStopped)
      return;
    queue.push_back(std::move(kernel));
    if (!hasThread)
      startCompilerThread([this] { serve(); }).detach();
    hasThread = true;
    changed.notify_all();
  }

  void drain() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !isRunning && (queue.empty() || !hasThread); });
  }

  void stop() {
    std::unique_lock lock(mutex);
    isStopped = true;
    queue.clear();
    changed.wait(lock, [&] { return !isRunning; });
  }

private:
  Replacer() {
    // A child of a fork does not have this thread. The locks of the compiler must be free in it.
    static Replacer *self = this;
    pthread_atfork(
        [] {
          std::unique_lock lock(self->mutex);
          self->changed.wait(lock, [] { return !self->isRunning; });
          lock.release();
        },
        [] { self->mutex.unlock(); },
        [] {
          self->hasThread = false;
          new (&self->changed) std::condition_variable; // The old one may wait for threads of the parent.
          self->mutex.unlock();
        });
    std::atexit([] { self->stop(); });
  }

  void serve() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return !queue.empty(); });
      std::weak_ptr<const TieredKernel> next = std::move(queue.front());
      queue.pop_front();
      isRunning = true;
      lock.unlock();
      if (std::shared_ptr<const TieredKernel> kernel = next.lock())
        kernel->replace();
      lock.lock();
      isRunning = false;
      changed.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::weak_ptr<const TieredKernel>> queue;
  bool hasThread = false, isRunning = false, isStopped = false;
};

} // namespace

void TieredKernel::launch(const base::KernelLaunch &launch) const {
  if (isRequested.load(std::memory_order_relaxed))
    return code()->launch(launch);
  Clock::time_point begin = Clock::now();
  quick->launch(launch);
  std::chrono::nanoseconds time = Clock::now() - begin;
  bool isHot = launched.fetch_add(time.count(), std::memory_order_relaxed) + time.count() >= timeUntilReplaced.count();
  if (isHot && !isRequested.exchange(true))
    Replacer::get().add(weak_from_this());
}

void TieredKernel::replace() const {
  std::string failure;
  try {
    better = makeBetter();
    if (better)
      current.store(better.get(), std::memory_order_release);
  } catch (const std::exception &error) {
    failure = error.what();
  }
  makeBetter = nullptr;
  if (!failure.empty())
    llvm::errs() << "warning: the kernel `" << name << "` goes on with code that was generated quickly: " << failure
                 << "\n";
}

std::shared_ptr<const LoadedKernel>
compiler::makeTieredKernel(std::string name, std::shared_ptr<const LoadedKernel> quick, MakeBetterCode makeBetter) {
  return std::make_shared<const TieredKernel>(std::move(name), std::move(quick), std::move(makeBetter));
}

void compiler::waitForBetterCode() { Replacer::get().drain(); }

void compiler::stopMakingBetterCode() { Replacer::get().stop(); }
