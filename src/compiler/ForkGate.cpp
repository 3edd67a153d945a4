#include "compiler/ForkGate.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

using namespace triton;
using namespace triton::compiler;

/// A compilation that takes longer, or that waits for the thread which forks, does not stop the program.
static constexpr std::chrono::seconds longestWait(30);

namespace {
struct ForkGate {
  std::mutex mutex;
  std::condition_variable changed;
  unsigned compiling = 0, forking = 0; ///< threads
};
} // namespace

/// Never destroyed, because threads may outlive main. A child makes one of its own.
static ForkGate *forkGate = new ForkGate;
static thread_local unsigned compilationDepth = 0;

CompilationScope::CompilationScope() {
  if (compilationDepth++ != 0)
    return;
  std::unique_lock lock(forkGate->mutex);
  forkGate->changed.wait(lock, [] { return forkGate->forking == 0; });
  ++forkGate->compiling;
}

CompilationScope::~CompilationScope() {
  if (--compilationDepth != 0)
    return;
  std::lock_guard lock(forkGate->mutex);
  --forkGate->compiling;
  forkGate->changed.notify_all();
}

void compiler::holdCompilations() {
  std::unique_lock lock(forkGate->mutex);
  ++forkGate->forking;
  unsigned own = compilationDepth != 0; // A function of the user may fork that a compilation calls.
  forkGate->changed.wait_for(lock, longestWait, [&] { return forkGate->compiling == own; });
}

void compiler::releaseCompilationsInParent() {
  std::lock_guard lock(forkGate->mutex);
  --forkGate->forking;
  forkGate->changed.notify_all();
}

void compiler::releaseCompilationsInChild() {
  forkGate = new ForkGate;
  forkGate->compiling = compilationDepth != 0;
}
