#include "compiler/ResidentCompiler.h"

#include "compiler/CompilerThread.h"

#include "llvm/ADT/STLExtras.h"

#include <climits>

using namespace triton;
using namespace triton::compiler;

ResidentCompiler::ResidentCompiler(const ResidentLimits &limits, Environment environment,
                                   CompileFunction compileFunction)
    : limits(limits), environmentOfAll(std::move(environment)), compileFunction(std::move(compileFunction)),
      processes(limits.processes ? limits.processes : UINT_MAX) {}

ResidentCompiler::~ResidentCompiler() { stop(); }

void ResidentCompiler::stop() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
    queue.clear();
  }
  queueChanged.notify_all();
  for (llvm::thread &thread : threads)
    thread.join();
  threads.clear();
}

/// What a kernel takes: its artifacts, which stay in memory, and the code that is loaded.
static uint64_t bytesOf(const CompiledKernel &kernel) {
  uint64_t bytes = kernel.metadata.size();
  for (const auto &[name, text] : kernel.artifacts)
    bytes += text.size();
  for (const char *loaded : {"o", "cubin", "hsaco"})
    if (auto code = kernel.artifacts.find(loaded); code != kernel.artifacts.end())
      bytes += code->second.size();
  return bytes;
}

std::pair<std::shared_ptr<ResidentKernel>, ResidentCompiler::Claim> ResidentCompiler::request(CompileRequest request,
                                                                                              bool isAwaited) {
  request.environment = limits.isPassive ? nullptr : &environmentOfAll;
  request.processes = limits.processes ? &processes : nullptr;
  request.isAbandoned = &isEnding;
  std::string key = requestKey(request);
  Claim claim;
  Lock lock(mutex);
  Pointer &kernel = kernels[key];
  if (!kernel) {
    kernel = std::make_shared<ResidentKernel>(!limits.isPassive);
    kernel->key = key;
    kernel->request = std::move(request);
    kernel->isAwaited = isAwaited;
    enqueue(kernel);
    if (!isAwaited || !limits.isPassive)
      startThread();
  } else if (kernel->ready()) {
    ++numbers.memoryHits;
    kernel->touch();
  } else {
    ++numbers.joined;
  }
  ++kernel->claims;
  claim.owner = shared_from_this();
  claim.kernel = kernel;
  return {kernel, std::move(claim)};
}

/// In the order of the requests, but what somebody waits for comes first. With the lock.
void ResidentCompiler::enqueue(const Pointer &kernel) {
  auto place = queue.end();
  if (kernel->isAwaited)
    place = llvm::find_if(queue, [](const Pointer &other) { return !other->isAwaited; });
  queue.insert(place, kernel);
}

/// Lets a thread begin with what is queued. With the lock.
void ResidentCompiler::startThread() {
  if (idleThreads < queue.size() && threads.size() < limits.compilations)
    threads.push_back(startCompilerThread([this] { serve(); }));
  queueChanged.notify_one();
}

void ResidentCompiler::serve() {
  Lock lock(mutex);
  for (;;) {
    ++idleThreads;
    queueChanged.wait(lock, [&] { return isEnding || !queue.empty(); });
    --idleThreads;
    if (isEnding)
      return;
    Pointer next = std::move(queue.front());
    queue.pop_front();
    next->state = ResidentKernel::State::Running;
    ++numbers.running;
    lock.unlock();
    lock = compileNow(std::move(next));
  }
}

ResidentCompiler::Lock ResidentCompiler::compileNow(Pointer kernel) {
  Clock::time_point begin = Clock::now();
  std::shared_ptr<const CompiledKernel> result;
  std::exception_ptr failure;
  try {
    result = compileFunction(kernel->request);
  } catch (...) {
    failure = std::current_exception();
  }
  uint64_t bytes = result ? bytesOf(*result) : 0;
  CompileRequest finished; // is destroyed without the lock
  std::vector<Pointer> dropped;
  Lock lock(mutex);
  std::swap(finished, kernel->request);
  numbers.compiling += Clock::now() - begin;
  --numbers.running;
  kernel->result = std::move(result);
  kernel->failure = failure;
  kernel->bytes = bytes;
  finish(*kernel, dropped);
  kernel.reset(); // from now on it is in use only where somebody waits for it
  kernelsChanged.notify_all();
  lock.unlock();
  dropped.clear(); // what leaves a GPU waits for it
  finished = {};
  lock.lock();
  return lock;
}

/// Counts a compilation that has ended, and keeps its kernel. With the lock.
void ResidentCompiler::finish(ResidentKernel &kernel, std::vector<Pointer> &dropped) {
  auto kept = kernels.find(kernel.key);
  bool isKept = kept != kernels.end() && kept->second.get() == &kernel;
  if (kernel.failure) {
    kernel.state = ResidentKernel::State::Failed;
    ++numbers.failures;
    if (isKept)
      kernels.erase(kept); // the next request tries again
    return;
  }
  kernel.state = ResidentKernel::State::Done;
  ++(kernel.result->isFromCache ? numbers.diskHits : numbers.compilations);
  kernel.touch();
  kernel.compiled.store(kernel.result.get(), std::memory_order_release);
  if (!isKept)
    return;
  if (kernel.claims == 0) {
    kernels.erase(kept);
    return;
  }
  ++numbers.kernels;
  numbers.bytes += kernel.bytes;
  dropUnused(dropped);
}

bool ResidentCompiler::isBeyondLimits() const {
  return (limits.kernels && numbers.kernels > limits.kernels) || (limits.bytes && numbers.bytes > limits.bytes);
}

/// Drops the kernels that were used least recently until the rest keeps to the limits. With the lock.
void ResidentCompiler::dropUnused(std::vector<Pointer> &dropped) {
  while (isBeyondLimits()) {
    Pointer oldest;
    for (const auto &[key, kernel] : kernels) {
      // A launch that finds the kernel at this moment keeps it alive until it ends.
      bool isInUse =
          !kernel->ready() || kernel.use_count() > (kernel == oldest ? 2 : 1) || kernel->result.use_count() > 1;
      if (!isInUse && (!oldest || kernel->lastUse < oldest->lastUse))
        oldest = kernel;
    }
    if (!oldest)
      return;
    drop(oldest, dropped);
    ++numbers.evictions;
  }
}

/// With the lock.
void ResidentCompiler::drop(const Pointer &kernel, std::vector<Pointer> &dropped) {
  --numbers.kernels;
  numbers.bytes -= kernel->bytes;
  kernel->wasDropped = true;
  dropped.push_back(kernel);
  kernels.erase(kernel->key);
}

void ResidentCompiler::release(const std::weak_ptr<ResidentKernel> &claimed) {
  std::vector<Pointer> dropped;
  std::lock_guard lock(mutex);
  Pointer kernel = claimed.lock();
  if (!kernel || --kernel->claims != 0 || !kernel->ready())
    return;
  if (auto kept = kernels.find(kernel->key); kept != kernels.end() && kept->second == kernel)
    drop(kernel, dropped);
}

bool ResidentCompiler::waitUntil(const Pointer &kernel, Clock::time_point end) {
  using State = ResidentKernel::State;
  if (kernel->ready())
    return true;
  auto isOver = [&] { return kernel->state == State::Done || kernel->state == State::Failed; };
  Clock::time_point begin = Clock::now();
  Lock lock(mutex);
  if (isOver() || end <= begin)
    return isOver();
  ++numbers.waits;
  bool hasLimit = end != Clock::time_point::max();
  if (auto place = llvm::find(queue, kernel); place != queue.end()) {
    queue.erase(place);
    if (limits.isPassive && !hasLimit) {
      kernel->state = State::Running;
      ++numbers.running;
      lock.unlock();
      lock = compileNow(kernel);
    } else {
      kernel->isAwaited = true;
      enqueue(kernel);
    }
  }
  bool hasEnded = false;
  if (hasLimit) {
    hasEnded = kernelsChanged.wait_until(lock, end, isOver);
  } else {
    kernelsChanged.wait(lock, isOver);
    hasEnded = true;
  }
  numbers.waiting += Clock::now() - begin;
  return hasEnded;
}

std::shared_ptr<const CompiledKernel> ResidentCompiler::wait(const Pointer &kernel) {
  waitUntil(kernel, Clock::time_point::max());
  if (kernel->ready())
    return kernel->result;
  std::exception_ptr failure;
  {
    std::lock_guard lock(mutex);
    failure = kernel->failure;
  }
  std::rethrow_exception(failure);
}

ResidentCounts ResidentCompiler::counts() const {
  std::lock_guard lock(mutex);
  ResidentCounts result = numbers;
  result.queued = queue.size();
  result.processes = processes.count();
  return result;
}

void ResidentCompiler::afterForkInChild() {
  new std::vector<llvm::thread>(std::move(threads)); // the child has none of them, and may neither join nor detach them
  threads.clear();
  queue.clear();
  std::erase_if(kernels, [](const auto &entry) { return !entry.second->ready(); });
  numbers.running = idleThreads = 0;
  mutex.unlock();
}
