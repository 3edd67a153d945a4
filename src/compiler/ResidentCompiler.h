// Compiles for a process that runs for a long time: every variant once, at most some at a time, and it keeps the
// kernels that were used last. Objects of this class share nothing, so that a process may have several.
#pragma once

#include "compiler/Compiler.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

namespace llvm {
class thread;
}

namespace triton::compiler {

struct ResidentLimits {
  unsigned compilations = 1; ///< at a time, on threads of the compiler
  unsigned processes = 0;    ///< of ptxas, at a time; 0: any number
  std::size_t kernels = 0;   ///< that are kept; 0: any number
  uint64_t bytes = 0;        ///< of the kernels that are kept; 0: any number
  /// Who waits for a kernel compiles it, and kernels stay loaded on GPUs: what a program expects that knows nothing of
  /// compilers. Threads compile only what nobody waits for. The environment is read at each compilation.
  bool isPassive = false;
};

struct ResidentCounts {
  uint64_t compilations = 0, failures = 0, diskHits = 0;
  uint64_t memoryHits = 0; ///< requests for kernels that were there
  uint64_t joined = 0;     ///< requests for kernels that were being compiled for others
  uint64_t waits = 0, evictions = 0;
  std::chrono::nanoseconds compiling{}, waiting{};
  std::size_t queued = 0, running = 0, kernels = 0;
  uint64_t bytes = 0;
  ProcessLimit::Numbers processes;
};

/// A kernel that is compiled or being compiled. Whoever launches it has a pointer to it meanwhile: the last one that
/// goes takes the kernel off the GPUs.
class ResidentKernel {
public:
  explicit ResidentKernel(bool unloads) : unloads(unloads) {}
  ResidentKernel(const ResidentKernel &) = delete;
  ~ResidentKernel() {
    if (unloads && result && result->loaded)
      result->loaded->unload();
  }
  /// Null until it is compiled, and where that fails.
  const CompiledKernel *ready() const { return compiled.load(std::memory_order_acquire); }
  /// Records a use.
  void touch() {
    lastUse.store(std::chrono::steady_clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  }
  /// After ready.
  const std::shared_ptr<const CompiledKernel> &kernel() const { return result; }

private:
  friend class ResidentCompiler;
  enum class State : uint8_t { Queued, Running, Done, Failed };

  // All but the atomic members are guarded by the compiler's mutex; the result does not change once it is there.
  const bool unloads;
  std::string key;
  bool isAwaited = false;
  State state = State::Queued;
  CompileRequest request; ///< empty when it is compiled
  std::shared_ptr<const CompiledKernel> result;
  std::exception_ptr failure;
  uint64_t bytes = 0;
  unsigned claims = 0;
  std::atomic<const CompiledKernel *> compiled = nullptr;
  std::atomic<bool> wasDropped = false; ///< somebody may still be about to let it go
  std::atomic<std::chrono::steady_clock::rep> lastUse = 0;
};

class ResidentCompiler : public std::enable_shared_from_this<ResidentCompiler> {
public:
  using CompileFunction = std::function<std::shared_ptr<const CompiledKernel>(const CompileRequest &)>;
  using Clock = std::chrono::steady_clock;

  /// A kernel is kept as long as there is a claim on it, unless a limit makes it go.
  class Claim {
  public:
    Claim() = default;
    Claim(Claim &&other) noexcept : owner(std::move(other.owner)), kernel(std::move(other.kernel)) {}
    Claim &operator=(Claim &&other) noexcept {
      std::swap(owner, other.owner);
      std::swap(kernel, other.kernel);
      return *this;
    }
    ~Claim() {
      if (owner)
        owner->release(kernel);
    }
    /// Null when the kernel was dropped.
    std::shared_ptr<ResidentKernel> lock() const {
      std::shared_ptr<ResidentKernel> held = kernel.lock();
      return held && !held->wasDropped ? held : nullptr;
    }
    bool isDropped() const { return !lock(); }

  private:
    friend class ResidentCompiler;
    std::shared_ptr<ResidentCompiler> owner;
    std::weak_ptr<ResidentKernel> kernel;
  };

  ResidentCompiler(const ResidentLimits &limits, Environment environment, CompileFunction compileFunction = compile);
  ResidentCompiler(const ResidentCompiler &) = delete;
  /// Gives up what is queued, and waits until the compilations that run have noticed that they are given up.
  ~ResidentCompiler();

  /// Ends as the destructor does.
  void stop();

  /// The kernel for the request, whose compilation is queued where it is neither there nor awaited. `isAwaited`: the
  /// caller will call `wait`. Throws as `requestKey` does.
  std::pair<std::shared_ptr<ResidentKernel>, Claim> request(CompileRequest request, bool isAwaited);
  /// Waits for the kernel, which is compiled before all for which nobody waits. Throws what its compilation threw.
  std::shared_ptr<const CompiledKernel> wait(const std::shared_ptr<ResidentKernel> &kernel);
  /// Waits at most until then. Whether the compilation has ended. A time in the past only asks.
  bool waitUntil(const std::shared_ptr<ResidentKernel> &kernel, Clock::time_point end);

  ResidentCounts counts() const;
  const Environment &environment() const { return environmentOfAll; }

  /// Around a fork: the child forgets compilations that threads of its parent were doing.
  void beforeFork() { mutex.lock(); }
  void afterForkInParent() { mutex.unlock(); }
  void afterForkInChild();

private:
  using Pointer = std::shared_ptr<ResidentKernel>;
  using Lock = std::unique_lock<std::mutex>;

  void release(const std::weak_ptr<ResidentKernel> &kernel);
  void startThread();
  void enqueue(const Pointer &kernel);
  void serve();
  /// Called and left without and with the lock.
  Lock compileNow(Pointer kernel);
  void finish(ResidentKernel &kernel, std::vector<Pointer> &dropped);
  void dropUnused(std::vector<Pointer> &dropped);
  void drop(const Pointer &kernel, std::vector<Pointer> &dropped);
  bool isBeyondLimits() const;

  const ResidentLimits limits;
  const Environment environmentOfAll;
  const CompileFunction compileFunction;
  ProcessLimit processes;
  std::atomic<bool> isEnding = false;

  mutable std::mutex mutex;
  std::condition_variable queueChanged, kernelsChanged;
  std::map<std::string, Pointer> kernels; ///< by key: kept, and being compiled
  std::deque<Pointer> queue;
  std::vector<llvm::thread> threads;
  unsigned idleThreads = 0;
  ResidentCounts numbers;
};

} // namespace triton::compiler
