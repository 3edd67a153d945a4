#include "compiler/BackendRegistry.h"
#include "compiler/Compiler.h"
#include "compiler/SampleKernel.h"
#include "compiler/StageDriver.h"

#include <mutex>
#include <pthread.h>
#include <thread>

using namespace triton;
using namespace triton::compiler;

static void compileOnce() {
  CompileRequest request = sampleRequest("cpu");
  const backends::Backend &backend = requireBackend(request.target);
  // Neither cached nor dumped nor timed: the user did not ask for this kernel.
  Environment environment;
  CacheKey key;
  auto options = backend.readOptions(request.target, request.options, environment);
  if (!options)
    return llvm::consumeError(options.takeError());
  StageDriver driver(request, request.options, backend, **options, environment, key);
  auto kernel = driver.run();
  llvm::consumeError(backend.load(*kernel, driver.llvmModule()).takeError());
}

namespace {
struct WarmUpThread {
  std::mutex mutex;
  std::thread thread;
  bool isStarted = false;
};
} // namespace

/// Never destroyed, because a thread may outlive static objects.
static WarmUpThread &warmUpThread() {
  static auto *state = new WarmUpThread;
  return *state;
}

void compiler::warmUp() {
  WarmUpThread &state = warmUpThread();
  std::lock_guard lock(state.mutex);
  if (state.isStarted)
    return;
  state.isStarted = true;
  // A child that is forked during the warm-up would inherit locks that none of its threads releases.
  pthread_atfork([] { waitForWarmUp(); }, nullptr, nullptr);
  state.thread = std::thread([] {
    try {
      compileOnce();
    } catch (const std::exception &) {
      // The user's own compilation meets the same error and reports it.
    }
  });
}

void compiler::waitForWarmUp() {
  WarmUpThread &state = warmUpThread();
  std::lock_guard lock(state.mutex);
  if (state.thread.joinable())
    state.thread.join();
}
