#include "CrashReport.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string_view>
#include <unistd.h>

namespace {

// The handler runs while memory may be damaged and locks may be held, so it only reads these, writes and exits.
char kernelName[256];
std::atomic<bool> isRunning = false;
std::atomic_flag isReporting = ATOMIC_FLAG_INIT;
static_assert(std::atomic<bool>::is_always_lock_free);

struct Cause {
  int signal;
  std::string_view text;
};
constexpr std::array<Cause, 6> causes{{
    {SIGSEGV, "it accessed memory that does not belong to the process (SIGSEGV)"},
    {SIGBUS, "it accessed memory that is not there (SIGBUS)"},
    {SIGFPE, "it divided an integer by zero (SIGFPE)"},
    {SIGILL, "it reached an instruction that this processor does not have (SIGILL)"},
    {SIGTRAP, "it reached code that must not run (SIGTRAP)"},
    {SIGABRT, "the C library found damaged memory (SIGABRT)"},
}};

void print(std::string_view text) {
  while (!text.empty()) {
    ssize_t count = write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0)
      return;
    text.remove_prefix(std::size_t(count));
  }
}

extern "C" void reportCrash(int signal) {
  if (isReporting.test_and_set()) // another thread crashed first and ends the process
    for (;;)
      pause();
  print("error: ");
  if (!isRunning)
    print("the process crashed after it ran ");
  print("kernel `");
  print(kernelName);
  print(isRunning ? "` crashed: " : "`, which probably wrote outside its arrays: ");
  for (const Cause &cause : causes)
    if (cause.signal == signal && (isRunning || signal == SIGABRT))
      print(cause.text);
    else if (cause.signal == signal)
      print("damaged memory was used");
  print("\nhelp: accesses of a kernel on the CPU are not checked; `--target sim:cuda:90` simulates a GPU, checks each "
        "access and reports the first wrong one with its line\n");
  _exit(1);
}

} // namespace

void tritonc::reportCrashesOf(const std::string &kernel) {
  std::strncpy(kernelName, kernel.c_str(), sizeof(kernelName) - 1);
  struct sigaction action = {};
  action.sa_handler = reportCrash;
  action.sa_flags = SA_ONSTACK; // LLVM gave the main thread a stack for handlers
  sigemptyset(&action.sa_mask);
  for (const Cause &cause : causes)
    sigaction(cause.signal, &action, nullptr);
}

tritonc::KernelRunning::KernelRunning() { isRunning = true; }
tritonc::KernelRunning::~KernelRunning() { isRunning = false; }
