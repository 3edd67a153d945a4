#include "simulator/core/BothWays.h"

#include "simulator/core/HostVectors.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

namespace triton::simulator {

std::atomic<bool> &runsBothWays() {
  static std::atomic<bool> both = false;
  return both;
}

namespace {
/// While one of these lives, all launches of the process run by the plain code.
class PlainCode {
public:
  PlainCode() { change(+1); }
  ~PlainCode() { change(-1); }
  PlainCode(const PlainCode &) = delete;

private:
  static void change(int by) {
    static std::mutex mutex;
    static int users = 0;
    static unsigned fastBytes = 0;
    std::lock_guard lock(mutex);
    if (users == 0)
      fastBytes = vectorBytes();
    users += by;
    vectorBytes() = users == 0 ? fastBytes : 0;
  }
};
} // namespace

static std::string textOf(llvm::ArrayRef<Finding> findings) {
  std::string text;
  for (const Finding &finding : findings)
    text += finding.str() + "\n";
  return text.empty() ? "nothing" : text;
}

/// What the two ways do not agree on; empty: nothing.
static std::string describeDifference(const LaunchResult &fast, const LaunchResult &plain, llvm::StringRef fastPrinted,
                                      llvm::StringRef plainPrinted) {
  auto compare = [](llvm::StringRef what, const std::string &first, const std::string &second) {
    return first == second ? std::string() : llvm::formatv("{0}: {1} and {2}", what, first, second).str();
  };
  std::string difference = compare("findings", textOf(fast.findings), textOf(plain.findings));
  if (difference.empty())
    difference = compare("reads of what nobody wrote", textOf(fast.unwrittenReads), textOf(plain.unwrittenReads));
  if (difference.empty())
    difference = compare("text", fastPrinted.str(), plainPrinted.str());
  if (difference.empty())
    difference = compare("instructions", std::to_string(fast.laneInstructions), std::to_string(plain.laneInstructions));
  return difference;
}

LaunchResult launchBothWays(const Program &program, LaunchConfiguration configuration,
                            llvm::ArrayRef<uint64_t> arguments, std::vector<Allocation> allocations) {
  GlobalMemory memory(allocations);
  const auto start = memory.save();
  std::string fastPrinted, plainPrinted;
  auto print = std::move(configuration.print);
  configuration.print = [&](llvm::StringRef text) {
    fastPrinted = text.str();
    print ? print(text) : (llvm::outs() << text).flush();
  };
  LaunchResult fast = launchOneWay(program, configuration, arguments, allocations);
  if (fast.interrupted)
    return fast;

  const auto results = memory.save();
  memory.restore(start);
  configuration.print = [&](llvm::StringRef text) { plainPrinted = text.str(); };
  configuration.hostThreads = 1;
  const PlainCode plainCode;
  LaunchResult plain = launchOneWay(program, configuration, arguments, std::move(allocations));
  if (plain.interrupted)
    return plain;
  std::string difference = describeDifference(fast, plain, fastPrinted, plainPrinted);
  if (std::optional<uintptr_t> address = memory.firstDifference(results); address && difference.empty()) {
    const Allocation *array = memory.find(*address, 1);
    difference = llvm::formatv("byte {0} of `{1}`", *address - array->begin, array->name);
  }
  if (!difference.empty())
    llvm::report_fatal_error(llvm::Twine("the fast and the plain code of the simulator differ for the kernel `") +
                                 program.name + "`: " + difference,
                             /*gen_crash_diag=*/false);
  return fast;
}

} // namespace triton::simulator
