#include "compiler/ExplanationText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace triton;
using llvm::json::Array;
using llvm::json::Object;

namespace {

//===----------------------------------------------------------------------===//
// Members and numbers
//===----------------------------------------------------------------------===//

double number(const Object &object, llvm::StringRef name) { return object.getNumber(name).value_or(0); }
int64_t count(const Object &object, llvm::StringRef name) { return object.getInteger(name).value_or(0); }
std::string text(const Object &object, llvm::StringRef name) { return object.getString(name).value_or("").str(); }

llvm::SmallVector<const Object *> objects(const Object &parent, llvm::StringRef name) {
  llvm::SmallVector<const Object *> found;
  if (const Array *array = parent.getArray(name))
    for (const llvm::json::Value &value : *array)
      found.push_back(value.getAsObject());
  return found;
}

/// At most three digits behind the point, and none of them a trailing zero.
std::string decimal(double value) {
  std::string digits = llvm::formatv("{0:f2}", value);
  if (llvm::StringRef(digits).contains('.'))
    digits = llvm::StringRef(digits).rtrim('0').rtrim('.').str();
  return digits;
}

std::string scaled(double value, double step, llvm::ArrayRef<llvm::StringRef> units) {
  std::size_t unit = 0;
  for (; value >= step && unit + 1 < units.size(); ++unit)
    value /= step;
  return decimal(value) + " " + units[unit].str();
}

std::string bytesText(double bytes) { return scaled(bytes, 1024, {"bytes", "KiB", "MiB", "GiB", "TiB"}); }
std::string flopText(double flops) { return scaled(flops, 1000, {"flop", "kflop", "Mflop", "Gflop", "Tflop"}); }
std::string clocksText(double clocks) { return llvm::formatv("{0:f0} clocks", clocks); }

std::string secondsText(double seconds) { return scaled(seconds * 1e9, 1000, {"ns", "us", "ms", "s"}); }

/// "128x64 f16".
std::string tensorText(const Object &entry) {
  std::string result;
  if (const Array *shape = entry.getArray("shape"))
    for (const llvm::json::Value &extent : *shape)
      result += (result.empty() ? "" : "x") + std::to_string(extent.getAsInteger().value_or(0));
  return result + " " + text(entry, "element");
}

/// Where the kernel says `entry`: code of the library gives way to what calls it.
const Object &shownPlace(const Object &entry) {
  const Object *place = entry.getObject("place");
  if (llvm::sys::fs::exists(text(*place, "file")))
    return *place;
  for (const Object *caller : objects(entry, "callers"))
    if (llvm::sys::fs::exists(text(*caller, "file")))
      return *caller;
  return *place;
}

/// "#ttg.blocked<{...}>" without the names of the dialect, and without the bases of linear layouts.
std::string encodingText(llvm::StringRef encoding) {
  std::string result;
  while (!encoding.empty()) {
    std::size_t end = encoding.find("#ttg.");
    result += encoding.take_front(end);
    encoding = encoding.drop_front(std::min(end, encoding.size()));
    encoding.consume_front("#ttg.");
    if (encoding.starts_with("linear<{")) {
      result += "linear<...>";
      encoding = encoding.drop_front(std::min(encoding.find("}>"), encoding.size() - 2) + 2);
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The explanation
//===----------------------------------------------------------------------===//

class Explanation {
public:
  Explanation(const Object &root, llvm::raw_ostream &out) : root(root), out(out) {
    if (const Object *known = root.getObject("resources"))
      resources = *known;
    if (const Object *known = resources.getObject("device"))
      device = *known;
    for (const Object *program : objects(root, "program"))
      folder = llvm::sys::path::parent_path(text(*program->getObject("place"), "file")).str();
  }

  void print() {
    out << llvm::formatv("{0} for {1}, num_warps {2}, num_stages {3}", text(root, "kernel"), text(root, "target"),
                         count(root, "num_warps"), count(root, "num_stages"))
        << (count(root, "num_ctas") > 1 ? llvm::formatv(", num_ctas {0}\n", count(root, "num_ctas")).str() : "\n");
    printSection("matrix products", "products", &Explanation::describeProduct);
    printSection("accesses of global memory", "accesses", &Explanation::describeAccess);
    printSection("loops", "loops", &Explanation::describeLoop);
    printSection("conversions between layouts", "conversions", &Explanation::describeConversion);
    printSection("layouts chosen by cost", "layouts", &Explanation::describeLayout);
    printSection("program", "program", &Explanation::describeProgram);
    printResources();
  }

private:
  using Lines = std::vector<std::string>;

  /// Files beside the kernel's have no folder.
  std::string placeText(const Object &place) {
    std::string file = text(place, "file");
    llvm::StringRef shown = file;
    if (shown.consume_front(folder))
      shown = shown.ltrim('/');
    return llvm::formatv("{0}:{1}", shown, count(place, "line"));
  }

  /// Entries in the order of the source, equal ones once.
  void printSection(llvm::StringRef title, llvm::StringRef member, Lines (Explanation::*describe)(const Object &)) {
    using Place = std::pair<int64_t, int64_t>;
    std::map<std::pair<Place, std::string>, unsigned> counts;
    for (const Object *entry : objects(root, member)) {
      const Object &place = shownPlace(*entry);
      std::string shown, name = placeText(place);
      for (const std::string &line : (this->*describe)(*entry)) {
        bool hasPlace = shown.empty() || llvm::StringRef(line).starts_with("!");
        shown += "  " + (hasPlace ? name : std::string(name.size(), ' ')) + "  " + line + "\n";
      }
      if (!shown.empty())
        ++counts[{{count(place, "line"), count(place, "column")}, shown}];
    }
    if (!counts.empty())
      out << "\n" << title << "\n";
    for (const auto &[entry, times] : counts) {
      out << entry.second;
      if (times > 1)
        out << "    (" << times << " times)\n";
    }
  }

  void addMissed(Lines &lines, const Object &entry) {
    for (const Object *missed : objects(entry, "missed")) {
      std::string line = "! " + text(*missed, "text") + ": " + text(*missed, "reason");
      if (const Object *cause = missed->getObject("cause"))
        line += " (" + placeText(*cause) + ")";
      lines.push_back(line);
      if (std::string help = text(*missed, "suggestion"); !help.empty())
        lines.push_back("  help: " + help);
    }
  }

  //===--------------------------------------------------------------------===//
  // Products, accesses, layouts
  //===--------------------------------------------------------------------===//

  Lines describeProduct(const Object &product) {
    Lines lines;
    if (product.get("m")) {
      lines.push_back(llvm::formatv("{0}x{1}x{2}, {3} x {4} to {5}: {6}, by {7}", count(product, "m"),
                                    count(product, "n"), count(product, "k"), text(product, "left"),
                                    text(product, "right"), text(product, "accumulator"),
                                    flopText(number(product, "flops")), planText(product)));
      addCandidates(lines, product);
    }
    if (const Object *overlap = product.getObject("overlap"))
      lines.push_back(text(*overlap, "text"));
    addMissed(lines, product);
    return lines;
  }

  /// "wgmma m64n256k16 over 8x1 warps", with the warps of a batch in front, ", transposed" where B^T A^T is computed.
  static std::string planText(const Object &plan) {
    std::string instruction = text(plan, "instruction");
    if (!plan.get("row_warps"))
      return instruction;
    std::string batches = plan.get("batch_warps") ? llvm::formatv("{0}x", count(plan, "batch_warps")).str() : "";
    return llvm::formatv("{0} over {1}{2}x{3} warps{4}", instruction, batches, count(plan, "row_warps"),
                         count(plan, "column_warps"), plan.get("transposed") ? ", transposed" : "");
  }

  /// What was compared: the best ways of the unit that computes the product, and the best of the others.
  static void addCandidates(Lines &lines, const Object &product) {
    constexpr unsigned mostOfChosen = 3;
    auto unitOf = [](const Object &plan) { return llvm::StringRef(text(plan, "instruction")).split(' ').first.str(); };
    constexpr llvm::StringLiteral row = "{0,-45} {1,8} {2,14} {3,10} {4,10}";
    std::map<std::string, unsigned> counts;
    lines.push_back(
        llvm::formatv(row.data(), "compared, in clocks", "at least", "matrix units", "operands", "exchange"));
    for (const Object *plan : objects(product, "candidates")) {
      std::string unit = unitOf(*plan);
      if (!plan->get("clocks") || ++counts[unit] > (unit == unitOf(product) ? mostOfChosen : 1))
        continue;
      auto column = [&](llvm::StringRef name) {
        return plan->get(name) ? llvm::formatv("{0:f0}", number(*plan, name)).str() : std::string("-");
      };
      lines.push_back(llvm::formatv(row.data(), "  " + planText(*plan), column("clocks"), column("matrix_clocks"),
                                    column("shared_clocks"), column("exchange_clocks")));
    }
  }

  Lines describeAccess(const Object &access) {
    Lines lines;
    if (text(access, "kind").starts_with("bulk")) {
      lines.push_back(llvm::formatv("{0} of {1}, {2}", text(access, "kind"), tensorText(access),
                                    bytesText(number(access, "bytes"))));
    } else if (access.get("kind")) {
      int64_t least = count(access, "least_sectors"), sectors = count(access, "sectors");
      lines.push_back(llvm::formatv(
          "{0} of {1}, {2}: {3} bytes of a thread at once, {4} sector{5} a request, {6}", text(access, "kind"),
          tensorText(access), bytesText(number(access, "bytes")), count(access, "bytes_of_thread"), sectors,
          sectors == 1 ? "" : "s",
          least == sectors ? std::string("all of them used")
                           : llvm::formatv("{0:f0} % of them used", 100.0 * double(least) / double(sectors)).str()));
      lines.push_back("layout " + encodingText(text(access, "encoding")));
    }
    addMissed(lines, access);
    return lines;
  }

  Lines describeConversion(const Object &conversion) {
    if (number(conversion, "clocks") == 0)
      return {};
    return {
        llvm::formatv("{0} through {1}, {2}", tensorText(conversion), text(conversion, "by"),
                      clocksText(number(conversion, "clocks"))),
        llvm::formatv("from {0} to {1}", encodingText(text(conversion, "from")), encodingText(text(conversion, "to")))};
  }

  Lines describeLayout(const Object &layout) {
    Lines lines{tensorText(layout) + ": " + encodingText(text(layout, "encoding"))};
    double chosen = 0;
    for (const Object *candidate : objects(layout, "candidates"))
      if (text(*candidate, "encoding") == text(layout, "encoding"))
        chosen = number(*candidate, "clocks");
    for (const Object *candidate : objects(layout, "candidates"))
      if (text(*candidate, "encoding") != text(layout, "encoding"))
        lines.push_back(llvm::formatv("{0} clocks more with {1}", decimal(number(*candidate, "clocks") - chosen),
                                      encodingText(text(*candidate, "encoding"))));
    return lines;
  }

  //===--------------------------------------------------------------------===//
  // Loops and the program
  //===--------------------------------------------------------------------===//

  /// Bytes, operations and time of `entry`, which is called `name`.
  void addWork(Lines &lines, const Object &entry, const std::string &name) {
    double loaded = number(entry, "loaded_bytes"), stored = number(entry, "stored_bytes"),
           atomic = number(entry, "atomic_bytes");
    double flops = number(entry, "product_flops") + number(entry, "other_flops");
    std::string work = name + ": ";
    if (loaded != 0)
      work += "loads " + bytesText(loaded) + ", ";
    if (stored != 0)
      work += "stores " + bytesText(stored) + ", ";
    if (atomic != 0)
      work += "changes " + bytesText(atomic) + " atomically, ";
    if (double products = number(entry, "product_flops"); products != 0)
      work += flopText(products) + " in products, ";
    if (double others = number(entry, "other_flops"); others != 0)
      work += flopText(others) + " in other arithmetic, ";
    if (flops > 0 && loaded + stored + atomic > 0)
      work += decimal(flops / (loaded + stored + atomic)) + " flop a byte";
    double clocks = number(entry, "clocks");
    if (clocks == 0)
      return;
    lines.push_back(llvm::StringRef(work).rtrim(": ,").str());
    if (clocks < 1)
      return;
    lines.push_back(
        llvm::formatv("busy: matrix units {0:f0}, ordinary instructions {1:f0}, shared memory {2:f0}, memory "
                      "{3:f0} clocks",
                      number(entry, "matrix_clocks"), number(entry, "ordinary_clocks"), number(entry, "shared_clocks"),
                      number(entry, "memory_clocks")));
    lines.push_back(llvm::formatv("bound by {0}: at least {1}{2}", text(entry, "bound"), timeText(clocks),
                                  rateText(entry, clocks)));
    if (std::optional<double> reuse = entry.getNumber("needed_reuse")) {
      double withReuse = number(entry, "clocks_with_reuse");
      lines.push_back(llvm::formatv(
          "  by {0} where caches have {1:f0} % of the bytes, which other programs load too: {2}{3}",
          text(entry, "bound_with_reuse"), 100 * *reuse, timeText(withReuse), rateText(entry, withReuse)));
    }
  }

  std::string timeText(double clocks) {
    std::string result = clocksText(clocks);
    if (double clock = number(device, "clock"); clock != 0)
      result += " = " + secondsText(clocks / clock);
    return result;
  }

  /// What the whole device does at best when each multiprocessor takes so long.
  std::string rateText(const Object &entry, double clocks) {
    double multiprocessors = number(device, "multiprocessors"), seconds = clocks / number(device, "clock");
    double flops = number(entry, "product_flops");
    double bytes = number(entry, "loaded_bytes") + number(entry, "stored_bytes") + number(entry, "atomic_bytes");
    if (multiprocessors == 0 || (flops == 0 && bytes == 0))
      return "";
    std::string rate = flops != 0 ? flopText(flops / seconds * multiprocessors)
                                  : scaled(bytes / seconds * multiprocessors, 1000, {"B", "kB", "MB", "GB", "TB"});
    return " (" + rate + "/s on the whole device)";
  }

  Lines describeLoop(const Object &loop) {
    Lines lines;
    if (const Object *pipeline = loop.getObject("pipeline"))
      addPipeline(lines, *pipeline);
    for (const auto &[name, decision] : loop)
      if (const Object *facts = decision.getAsObject())
        if (std::string sentence = text(*facts, "text"); !sentence.empty())
          lines.push_back(sentence);
    addMissed(lines, loop);
    if (!loop.get("clocks"))
      return lines;
    std::optional<int64_t> iterations = loop.getInteger("iterations");
    std::string name =
        iterations ? llvm::formatv("each of {0} iterations", *iterations).str() : std::string("an iteration");
    if (loop.getBoolean("holds_unknown_loops").value_or(false))
      name += " without the loops in it";
    addWork(lines, loop, name);
    return lines;
  }

  void addPipeline(Lines &lines, const Object &pipeline) {
    double bytes = 0;
    std::string rings;
    for (const Object *ring : objects(pipeline, "rings")) {
      double size = number(*ring, "slot_bytes");
      int64_t slots = count(*ring, "slots");
      bytes += size * double(slots);
      if (const Object *load = ring->getObject("load"))
        rings += llvm::formatv("{0}{1} {2} slots of {3}", rings.empty() ? "" : ", ", placeText(*load), slots,
                               bytesText(size));
    }
    std::string how = pipeline.getBoolean("mover").value_or(false)
                          ? std::string("a producer warp loads ahead by TMA")
                          : llvm::formatv("pipelined: {0} stages", count(pipeline, "stages")).str();
    lines.push_back(llvm::formatv("{0}; {1} of shared memory ({2})", how, bytesText(bytes), rings));
  }

  Lines describeProgram(const Object &program) {
    Lines lines;
    if (const Object *warps = program.getObject("warps"))
      lines.push_back(text(*warps, "text") + ": " + text(*warps, "reason"));
    if (program.get("clocks"))
      addWork(lines, program,
              program.getBoolean("holds_unknown_loops").value_or(false)
                  ? "outside of its loops, of which the iterations are not known"
                  : "in all");
    addMissed(lines, program);
    return lines;
  }

  //===--------------------------------------------------------------------===//
  // The machine
  //===--------------------------------------------------------------------===//

  void printResources() {
    out << "\nresources\n";
    out << llvm::formatv("  {0} warps, {1} threads\n", count(resources, "warps"), count(resources, "threads"));
    if (std::optional<int64_t> registers = resources.getInteger("registers"))
      printRegisters(*registers);
    else
      out << "  registers of a thread: not known; " << whyNoRegisters() << "\n";
    out << llvm::formatv("  shared memory: {0} of {1}\n", bytesText(number(resources, "shared_bytes")),
                         bytesText(number(resources, "most_shared_bytes")));
    if (number(resources, "shared_bytes") > number(resources, "most_shared_bytes"))
      out << "  ! no multiprocessor has so much shared memory: launches fail\n"
             "    help: smaller tiles, or fewer stages (`num_stages`), need less\n";
    if (const Object *occupancy = resources.getObject("occupancy"))
      printOccupancy(*occupancy);
    if (!device.empty())
      out << llvm::formatv("  times are for {0}: {1} multiprocessors at {2} GHz, {3} TB/s\n", text(device, "name"),
                           count(device, "multiprocessors"), decimal(number(device, "clock") / 1e9),
                           decimal(number(device, "memory_bytes_per_second") / 1e12));
  }

  void printRegisters(int64_t registers) {
    int64_t spilled = count(resources, "spill_bytes");
    out << llvm::formatv("  registers of a thread: {0} of {1}, {2} bytes spilled\n", registers,
                         count(resources, "most_registers"), spilled);
    if (spilled != 0)
      out << "  ! values of threads go through memory because registers do not hold them\n"
             "    help: smaller tiles, or more warps (`num_warps`), leave each thread fewer values\n";
  }

  std::string whyNoRegisters() {
    std::string error = text(resources, "assembler_error");
    return error.empty() ? "the target has no assembler" : llvm::StringRef(error).split('\n').first.str();
  }

  void printOccupancy(const Object &occupancy) {
    std::string limits;
    for (auto [member, name] : {std::pair("by_shared_memory", "shared memory"), std::pair("by_registers", "registers"),
                                std::pair("by_warps", "warps"), std::pair("by_programs", "programs")})
      if (std::optional<int64_t> count = occupancy.getInteger(member))
        limits += llvm::formatv("{0}{1} {2}", limits.empty() ? "" : ", ", name, *count);
    int64_t joined = count(occupancy, "multiprocessors");
    std::string place =
        joined == 1 ? "a multiprocessor" : llvm::formatv("{0} multiprocessors that share memory", joined).str();
    out << llvm::formatv("  programs on {0}: {1}, which is {2} of {3} warps; limited by {4} ({5})\n", place,
                         count(occupancy, "programs"), count(occupancy, "warps"), count(occupancy, "most_warps"),
                         text(occupancy, "limit"), limits);
  }

  const Object &root;
  llvm::raw_ostream &out;
  Object resources, device;
  std::string folder; ///< of the kernel's file
};

} // namespace

std::string compiler::explanationText(const Object &explanation) {
  std::string text;
  llvm::raw_string_ostream out(text);
  Explanation(explanation, out).print();
  return text;
}
