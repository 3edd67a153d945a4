#include "CompileThread.h"

#include "compiler/CompilerThread.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <new>
#include <pthread.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace triton::python {

namespace {

constexpr std::chrono::milliseconds timeBetweenQuestions(20);

struct Job {
  explicit Job(const compiler::CompileRequest &given) : request(given) { request.isAbandoned = &isAbandoned; }

  compiler::CompileRequest request;
  std::shared_ptr<const base::CompiledKernel> kernel;
  std::exception_ptr failure;
  bool ranOutOfMemory = false;
  bool isDone = false;
  std::atomic<bool> isAbandoned = false;
};

/// The first use of a library's data of a thread allocates all of them, and where that fails, glibc ends the process.
/// So they are there before a compilation begins: those of this module, and those with which exceptions are thrown.
void allocateThreadData() {
  thread_local volatile int exceptions = 0;
  exceptions = std::uncaught_exceptions();
  (void)exceptions;
}

/// A thread that compiles one request after another. It ends after a compilation that was abandoned.
class CompileThread {
public:
  CompileThread() : thread(compiler::startCompilerThread([this] { serve(); })) {}

  /// Returns true when the job has ended. Returns false, with the exception set, when a handler raised one. Called with
  /// the GIL.
  bool run(Job &job) {
    std::unique_lock lock(mutex);
    open = &job;
    changed.notify_all();
    for (;;) {
      bool isDone;
      {
        nb::gil_scoped_release released;
        isDone = changed.wait_for(lock, timeBetweenQuestions, [&] { return job.isDone; });
        lock.unlock(); // the compilation may need it while this thread waits for the GIL
      }
      if (isDone)
        return true;
      if (PyErr_CheckSignals() != 0)
        return false;
      lock.lock();
    }
  }

  /// Makes the thread end after its job. False when the job has already ended.
  bool abandon(Job &job) {
    std::lock_guard lock(mutex);
    job.isAbandoned = !job.isDone;
    return job.isAbandoned;
  }

  bool hasEnded(const Job &job) {
    std::lock_guard lock(mutex);
    return job.isDone;
  }

  void join() { thread.join(); }

private:
  void serve() {
    allocateThreadData();
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return open != nullptr; });
      Job &job = *std::exchange(open, nullptr);
      lock.unlock();
      compile(job);
      lock.lock();
      job.isDone = true;
      changed.notify_all();
      if (job.isAbandoned)
        return;
    }
  }

  static void compile(Job &job) {
    try {
      job.kernel = compiler::compile(job.request);
    } catch (const std::bad_alloc &) {
      job.ranOutOfMemory = true;
      job.failure = std::current_exception();
    } catch (...) {
      job.failure = std::current_exception();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  Job *open = nullptr;
  llvm::thread thread;
};

/// An abandoned compilation and everything that it uses.
struct Abandoned {
  std::unique_ptr<CompileThread> thread;
  std::unique_ptr<Job> job;
};

/// Used with the GIL.
struct Threads {
  std::vector<std::unique_ptr<CompileThread>> idle;
  /// Memory ran out in their compilations, perhaps while MLIR made what it keeps for each thread: its tables do not
  /// survive an exception. These threads wait without an end, which would destroy the tables.
  std::vector<std::unique_ptr<CompileThread>> unusable;
  std::vector<Abandoned> abandoned;

  /// Drops the abandoned compilations that have ended.
  void reap() {
    std::erase_if(abandoned, [](Abandoned &each) {
      if (!each.thread->hasEnded(*each.job))
        return false;
      each.thread->join();
      return true;
    });
  }
};

Threads *allThreads = nullptr; // Never destroyed: a thread may wait there when the process ends.

Threads &threads() {
  if (!allThreads) {
    allThreads = new Threads;
    // A forked child has none of these threads.
    static const int registered = pthread_atfork(nullptr, nullptr, [] { allThreads = nullptr; });
    (void)registered;
  }
  return *allThreads;
}

} // namespace

bool findSignalThread() {
  if (gettid() != getpid())
    return false;
  // The thread that forks becomes the child's first.
  static const int registered = pthread_atfork(nullptr, nullptr, [] { signalThread.store(0); });
  (void)registered;
  signalThread.store(PyThread_get_thread_ident(), std::memory_order_relaxed);
  return true;
}

std::shared_ptr<const base::CompiledKernel> compileInterruptibly(const compiler::CompileRequest &request) {
  if (!isSignalThread()) {
    nb::gil_scoped_release released;
    return compiler::compile(request);
  }
  auto job = std::make_unique<Job>(request);
  threads().reap();
  std::unique_ptr<CompileThread> thread;
  if (threads().idle.empty()) {
    thread = std::make_unique<CompileThread>();
  } else {
    thread = std::move(threads().idle.back());
    threads().idle.pop_back();
  }
  if (!thread->run(*job) && thread->abandon(*job)) {
    threads().abandoned.push_back({std::move(thread), std::move(job)});
    throw nb::python_error();
  }
  // A handler of a signal may have compiled on another thread.
  (job->ranOutOfMemory ? threads().unusable : threads().idle).push_back(std::move(thread));
  if (PyErr_Occurred()) // the compilation had ended when the handler raised it
    throw nb::python_error();
  if (job->failure)
    std::rethrow_exception(job->failure);
  return job->kernel;
}

void waitForAbandonedCompilations() {
  std::vector<Abandoned> abandoned = std::exchange(threads().abandoned, {});
  nb::gil_scoped_release released;
  for (Abandoned &each : abandoned)
    each.thread->join();
  nb::gil_scoped_acquire acquired; // what the compilations used belongs to Python
  abandoned.clear();
}

} // namespace triton::python
