#include "ArgumentValues.h"
#include "CrashReport.h"
#include "KernelInput.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

using namespace tritonc;
using Clock = std::chrono::steady_clock;

static double milliseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

static std::string describeShape(const Array &array) {
  std::vector<std::string> extents;
  extents.reserve(array.shape.size());
  for (int64_t extent : array.shape)
    extents.push_back(std::to_string(extent));
  return typeName(array.dtype) + "[" + llvm::join(extents, ", ") + "]";
}

static void printSummary(const Array &array) {
  double sum = 0, smallest = std::numeric_limits<double>::infinity(), largest = -smallest;
  for (int64_t i = 0; i < array.elementCount; ++i) {
    double value = readElement(array, i);
    sum += value;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  llvm::outs() << llvm::formatv("{0}: {1}, sum {2:f6}, min {3:f6}, max {4:f6}, first", array.name, describeShape(array),
                                sum, smallest, largest);
  for (int64_t i = 0; i < std::min<int64_t>(4, array.elementCount); ++i)
    llvm::outs() << llvm::format(" %g", readElement(array, i));
  llvm::outs() << '\n';
}

static void printAll(const Array &array) {
  int64_t rowLength = array.shape.empty() ? 1 : std::max<int64_t>(1, array.shape.back());
  llvm::outs() << array.name << ": " << describeShape(array) << '\n';
  for (int64_t i = 0; i < array.elementCount; ++i)
    llvm::outs() << llvm::format("%g", readElement(array, i)) << ((i + 1) % rowLength == 0 ? '\n' : ' ');
}

void tritonc::run(const RunCommand &command) {
  KernelPath path = splitInput(command.kernel.input);
  if (!irStage(path.file).empty())
    throw UsageError("run takes a kernel file; `" + path.file + "` holds IR");
  triton::Module module = triton::Module::load(path.file);
  triton::Kernel kernel = openKernel(module, path);
  TargetOption target = parseTarget(command.kernel.target);
  bool onDevice = usesDevice(target);
  ArgumentList arguments(module, onDevice, command.seed);
  for (const std::string &argument : command.arguments)
    arguments.addValue(argument);
  for (const std::string &name : command.print)
    if (llvm::none_of(arguments.arrays(), [&](const Array &array) { return array.name == name; }))
      throw UsageError("--print " + name + ": there is no array of that name");
  triton::LaunchOptions options = launchOptions(command.kernel, target);
  options.grid = parseGrid(command.grid);
  options.threads = command.threads;

  auto launch = [&] {
    KernelRunning running;
    kernel.launchArguments(options, arguments.arguments());
    if (onDevice)
      triton::synchronize();
  };
  Clock::time_point start = Clock::now();
  if (target.target == "cpu") {
    // An empty grid only compiles, so a crash after it is the kernel's.
    triton::LaunchOptions compilation = options;
    compilation.grid = triton::Grid(0);
    kernel.launchArguments(compilation, arguments.arguments());
    reportCrashesOf(kernel.name());
  }
  launch();
  double first = milliseconds(start, Clock::now());
  double best = INFINITY;
  for (int i = 1; i < command.repeat; ++i) {
    start = Clock::now();
    launch();
    best = std::min(best, milliseconds(start, Clock::now()));
  }
  llvm::outs() << llvm::formatv("{0}: first launch with compilation {1:f3} ms", kernel.name(), first);
  if (command.repeat > 1)
    llvm::outs() << llvm::formatv(", best of {0} more {1:f4} ms", command.repeat - 1, best);
  llvm::outs() << '\n';
  arguments.download();
  for (const Array &array : arguments.arrays()) {
    if (llvm::is_contained(command.print, array.name))
      printAll(array);
    else
      printSummary(array);
  }
}
