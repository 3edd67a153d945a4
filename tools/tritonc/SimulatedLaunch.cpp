#include "SimulatedLaunch.h"
#include "ArgumentValues.h"

#include "api/Recording.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <map>

using namespace tritonc;
using llvm::StringRef;
using Json = llvm::json::Object;

Json tritonc::mapLaunch(const triton::Module &module, const triton::Kernel &kernel,
                        const triton::LaunchOptions &options, const std::string &target, const std::string &grid,
                        const std::vector<std::string> &values, const std::atomic<bool> &isAbandoned) {
  if (StringRef(target).split(':').second.empty())
    throw UsageError("the simulator runs kernels of GPUs; choose a target such as cuda:90");
  std::string simulated = StringRef(target).starts_with("sim:") ? target : "sim:" + target;
  triton::LaunchOptions launch = options;
  launch.target = simulated;
  launch.grid = parseGrid(grid);
  ArgumentList arguments(module);
  for (const std::string &argument : values)
    if (!isAbandoned.load()) // a large array takes its time
      arguments.addValue(argument);
  Json memory;
  if (isAbandoned.load())
    return memory;
  try {
    triton::api::launchMapped(kernel, launch, arguments.arguments(), memory, isAbandoned);
  } catch (const triton::Error &) {
    if (memory.empty()) // otherwise the map shows what is wrong
      throw;
  }
  memory["grid"] = grid;
  memory["arguments"] = llvm::join(values, ", ");
  memory["target"] = simulated;
  return memory;
}

namespace {

constexpr std::size_t columns = 96;

/// Draws the lanes of one launch.
class TimeWriter {
public:
  TimeWriter(const Json &memory, StringRef file, const std::string &source)
      : time(*memory.getObject("time")), places(*memory.getArray("places")), file(file) {
    StringRef(source).split(lines, '\n');
    for (const llvm::json::Value &lane : *time.getArray("lanes"))
      end = std::max(end, lane.getAsObject()->getInteger("end").value_or(0));
  }

  std::string text() {
    out = llvm::formatv("\ntime of the first program\n  {0} clocks of a simple machine, {1} a letter: # runs, . waits, "
                        "~ copies in flight, = products\n",
                        end, perColumn());
    for (const llvm::json::Value &lane : *time.getArray("lanes"))
      drawLane(*lane.getAsObject());
    for (const llvm::json::Value &lane : *time.getArray("lanes"))
      addWaits(*lane.getAsObject());
    writeWaits();
    return std::move(out);
  }

private:
  int64_t perColumn() const { return std::max<int64_t>(1, (end + int64_t(columns) - 1) / int64_t(columns)); }

  static std::string nameOf(const Json &lane) {
    int64_t first = *lane.getInteger("first_warp"), last = *lane.getInteger("last_warp");
    return first == last ? llvm::formatv("warp {0}", first).str()
                         : llvm::formatv("warps {0} to {1}", first, last).str();
  }

  /// That of the kernel's file from which code of another file is called; 0 where there is none.
  int64_t lineOf(int64_t number) const {
    const Json &place = *places[std::size_t(number)].getAsObject();
    llvm::SmallVector<const Json *> around{&place};
    if (const llvm::json::Array *callers = place.getArray("callers"))
      for (const llvm::json::Value &caller : *callers)
        around.push_back(caller.getAsObject());
    for (const Json *each : around)
      if (each->getString("file").value_or("") == file)
        return each->getInteger("line").value_or(0);
    return 0;
  }

  /// The function of the file around that line.
  StringRef functionAt(int64_t line) const {
    for (std::size_t at = std::min<std::size_t>(std::size_t(std::max<int64_t>(line, 0)), lines.size()); at-- > 0;)
      if (StringRef text = lines[at]; text.consume_front("def "))
        return text.take_until([](char c) { return c == '('; });
    return "";
  }

  /// Of the place at which most of the lane's events are.
  StringRef functionOf(const Json &lane) const {
    std::map<StringRef, unsigned> counts;
    StringRef best;
    for (const llvm::json::Value &event : *lane.getArray("events"))
      if (StringRef name = functionAt(lineOf(*event.getAsObject()->getInteger("place")));
          !name.empty() && ++counts[name] > counts[best])
        best = name;
    return best;
  }

  void drawLane(const Json &lane) {
    std::string warps(columns, ' '), copies = warps, products = warps;
    auto draw = [&](std::string &row, int64_t begin, int64_t last, char letter) {
      auto from = std::size_t(begin / perColumn()), to = std::size_t(std::max(begin, last - 1) / perColumn());
      for (std::size_t at = from; at <= to && at < columns; ++at)
        row[at] = letter;
    };
    draw(warps, 0, *lane.getInteger("end"), '#');
    for (const llvm::json::Value &value : *lane.getArray("events")) {
      const Json &event = *value.getAsObject();
      StringRef kind = *event.getString("kind");
      int64_t begin = *event.getInteger("begin"), last = *event.getInteger("end");
      bool isShort = kind == "wait" && last - begin < perColumn(); // it would hide what runs
      if (!isShort)
        draw(kind == "wait"   ? warps
             : kind == "copy" ? copies
                              : products,
             begin, last,
             kind == "wait"   ? '.'
             : kind == "copy" ? '~'
                              : '=');
    }
    StringRef function = functionOf(lane);
    out += llvm::formatv("  {0}{1}\n", nameOf(lane), function.empty() ? "" : ", in " + function.str());
    for (StringRef row : {StringRef(warps), StringRef(copies), StringRef(products)})
      if (!row.trim().empty())
        out += llvm::formatv("    |{0}|\n", row);
  }

  struct Waits {
    int64_t clocks = 0;
    unsigned count = 0;
  };

  void addWaits(const Json &lane) {
    for (const llvm::json::Value &value : *lane.getArray("events")) {
      const Json &event = *value.getAsObject();
      if (*event.getString("kind") != "wait")
        continue;
      Waits &sum = waits[{nameOf(lane), lineOf(*event.getInteger("place"))}];
      sum.clocks += *event.getInteger("end") - *event.getInteger("begin");
      ++sum.count;
    }
  }

  void writeWaits() {
    std::vector<std::pair<std::pair<std::string, int64_t>, Waits>> sorted(waits.begin(), waits.end());
    llvm::sort(sorted, [](const auto &a, const auto &b) { return a.second.clocks > b.second.clocks; });
    constexpr std::size_t most = 6;
    if (!sorted.empty())
      out += "  longest waits\n";
    for (const auto &[who, sum] : llvm::ArrayRef(sorted).take_front(most))
      out += llvm::formatv("    {0}: {1}, {2} clocks, {3}\n",
                           who.second ? llvm::formatv("line {0}", who.second).str() : "no line of this file", who.first,
                           sum.clocks, sum.count == 1 ? std::string("once") : std::to_string(sum.count) + " times");
  }

  const Json &time;
  const llvm::json::Array &places;
  StringRef file;
  llvm::SmallVector<StringRef> lines;
  int64_t end = 1;
  std::map<std::pair<std::string, int64_t>, Waits> waits; ///< by lane and line
  std::string out;
};

} // namespace

std::string tritonc::describeTime(const Json &memory, const std::string &file, const std::string &source) {
  return TimeWriter(memory, file, source).text();
}
