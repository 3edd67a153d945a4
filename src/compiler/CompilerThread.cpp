#include "compiler/CompilerThread.h"

#include <csignal>
#include <optional>
#include <pthread.h>

using namespace triton;

/// As much as the main thread usually has.
static constexpr unsigned stackBytes = 8 << 20;

llvm::thread compiler::startCompilerThread(std::function<void()> body) {
  return llvm::thread(std::optional<unsigned>(stackBytes), [body = std::move(body)] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    pthread_setname_np(pthread_self(), "triton-compile");
    body();
  });
}
