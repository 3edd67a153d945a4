#include "backends/Backend.h"
#include "compiler/Compiler.h"
#include "compiler/StageDriver.h"
#include "frontend/ModuleLoader.h"

#include <mutex>
#include <pthread.h>
#include <thread>

using namespace triton;
using namespace triton::compiler;

// Touches what nearly every kernel needs: masked loads and stores, arithmetic, an inlined function of the prelude.
static constexpr char kernelText[] = R"(
import triton
import triton.language as tl

@triton.jit
def warm_up(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0.0)
    tl.store(x + i, tl.exp(value) + tl.sum(value, axis=0), mask=i < n)
)";

static void compileOnce() {
  CompileRequest request;
  request.function = frontend::LoadedModule::fromText(kernelText, "<warm-up>")->function("warm_up");
  Argument pointer, count, block;
  pointer.name = "x";
  pointer.type = *frontend::parseElementType("*fp32");
  pointer.divisibility = 16;
  count.name = "n";
  count.type = *frontend::parseElementType("i32");
  block.name = "BLOCK";
  block.constant = frontend::makeInteger(64);
  request.arguments = {pointer, count, block};
  const backends::Backend *backend = backends::findBackend(request.target.backend);
  // Neither cached nor dumped nor timed: the user did not ask for this kernel.
  Environment environment;
  CacheKey key;
  auto kernel = StageDriver(request, request.options, *backend, environment, key).run();
  llvm::consumeError(backend->load(*kernel));
}

namespace {
struct WarmUpThread {
  std::mutex mutex;
  std::thread thread;
  bool isStarted = false;
};
} // namespace

/// Never destroyed: a thread that outlives static objects must not find it gone.
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
  // A child that is forked in the middle would inherit locks that no thread of its own releases.
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
