// tritonc bisect: the first pass after which a kernel gives something else.
//
// Passes that only make code better can be left out, so every count of them gives a kernel that runs. The result with
// none of them is taken to be right if it agrees with that on another kind of target, whose code comes from another
// code generator. Between none and all, the first count with another result is found by halving.
#include "Evaluation.h"
#include "IrEdits.h"
#include "KernelInput.h"
#include "ResultComparison.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tritonc;
using triton::base::PassEdit;
using triton::base::RecordedPass;

/// The functions of a module's text, and what is outside of them as the last one.
static std::vector<llvm::StringRef> splitFunctions(llvm::StringRef text) {
  std::vector<llvm::StringRef> functions;
  const char *begin = nullptr;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines) {
    bool isLlvm = line.starts_with("define ");
    llvm::StringRef unindented = line.ltrim(' ');
    bool isMlir = line.size() - unindented.size() == 2 &&
                  unindented.take_until([](char c) { return c == ' '; }).ends_with("func");
    if ((isLlvm || isMlir) && line.ends_with("{"))
      begin = line.data();
    if (begin && (line == "}" || line == "  }")) {
      functions.emplace_back(begin, std::size_t(line.end() - begin));
      begin = nullptr;
    }
  }
  return functions;
}

/// The functions of `text` that are not in `other`; all of the text if the difference is outside of functions.
static std::string changedFunctions(llvm::StringRef text, llvm::StringRef other) {
  llvm::StringSet<> known;
  for (llvm::StringRef function : splitFunctions(other))
    known.insert(function);
  std::string changed;
  for (llvm::StringRef function : splitFunctions(text))
    if (!known.contains(function))
      changed += (function + "\n").str();
  return changed.empty() ? text.str() : changed;
}

namespace {

class Bisection {
public:
  explicit Bisection(const BisectCommand &command)
      : command(command), path(splitInput(command.run.kernel.input)), module(triton::Module::load(path.file)),
        kernel(openKernel(module, path).name()), arguments(module, /*onDevice=*/false, command.run.seed) {
    for (const std::string &argument : command.run.arguments)
      arguments.addValue(argument);
    if (!command.plant.empty())
      plant = [name = command.plant](llvm::StringRef pass, mlir::Operation *module) {
        if (pass == name)
          plantMistake(module);
      };
  }

  /// The exit code.
  int run();

private:
  static constexpr unsigned allPasses = ~0u;

  Evaluation evaluateCount(unsigned optionalPasses) const {
    return evaluate(command.run, {optionalPasses, command.timeLimit, plant, /*ttir=*/""});
  }
  Evaluation evaluateReference(const PassEdit &edit = nullptr, const std::string &ttir = "") const;
  std::string referenceTarget() const;
  std::vector<unsigned> countsThatMatter() const;
  std::optional<std::string> compareWithReference(ResultComparison &comparison);
  int reportPlainError() const;
  int reportRequired(const std::string &difference) const;
  const RecordedPass *findWrongTtir(std::string &difference, llvm::StringRef &before) const;
  void printCulprit(unsigned count, const std::string &difference) const;

  const BisectCommand &command;
  KernelPath path;
  triton::Module module;
  std::string kernel;
  ArgumentList arguments;
  PassEdit plant = nullptr;
  Evaluation all, none;         ///< with all optional passes, and without
  Evaluation reference, shadow; ///< without optional passes on the other target; the second in float64
  std::optional<ResultComparison> toReference;
};

} // namespace

std::string Bisection::referenceTarget() const {
  if (!command.reference.empty())
    return command.reference;
  return llvm::StringRef(command.run.kernel.target).starts_with("cpu") ? "sim:cuda:80" : "cpu";
}

Evaluation Bisection::evaluateReference(const PassEdit &edit, const std::string &ttir) const {
  RunCommand run = command.run;
  run.kernel.target = referenceTarget();
  return evaluate(run, {/*optionalPasses=*/0, command.timeLimit, edit, ttir});
}

/// How many optional passes must run for each of those to run that change the IR.
std::vector<unsigned> Bisection::countsThatMatter() const {
  std::vector<unsigned> counts;
  unsigned count = 0;
  for (const RecordedPass &pass : all.passes) {
    count += pass.isOptional;
    if (pass.isOptional && pass.changes)
      counts.push_back(count);
  }
  if (!all.succeeded)
    counts.push_back(count + 1); // a pass that failed is not recorded
  return counts;
}

/// Targets differ in functions such as the exponential by this much.
static constexpr double functionTolerance = 1.0 / (1 << 16);
/// The least tolerance where nothing was computed more exactly.
static constexpr double plainTolerance = 1.0 / (1 << 10);

/// Some targets and passes round the operands of f32 products to the eleven bits of tf32.
static double productTolerance(const Evaluation &evaluation) {
  bool isRounded = !evaluation.passes.empty() &&
                   llvm::StringRef(evaluation.passes.front().after.text).contains("inputPrecision = tf32");
  return isRounded ? 1.0 / (1 << 8) : 0;
}

/// Compares the results without optional passes with those of the reference. The difference, if there is one.
std::optional<std::string> Bisection::compareWithReference(ResultComparison &comparison) {
  std::string target = referenceTarget();
  double least = productTolerance(none);
  reference = evaluateReference();
  if (!reference.succeeded) {
    llvm::outs() << "without optional passes on " << target << ": no result to compare with, since "
                 << llvm::StringRef(reference.error).split('\n').first << "\n";
    if (!command.bitwise)
      comparison.useShadow(none, std::max(least, plainTolerance));
    return std::nullopt;
  }
  toReference.emplace(arguments.arrays(), reference);
  // Behind the first pass, which takes calls away.
  shadow = evaluateReference([isDone = false](llvm::StringRef, mlir::Operation *module) mutable {
    if (!isDone)
      widenToFloat64(module);
    isDone = true;
  });
  if (!shadow.succeeded) {
    llvm::outs() << "in float64 on " << target << ": no result, since "
                 << llvm::StringRef(shadow.error).split('\n').first << "\n";
    least = std::max(least, plainTolerance);
  }
  const Evaluation &exact = shadow.succeeded ? shadow : reference;
  toReference->useShadow(exact, std::max(least, functionTolerance));
  if (std::optional<std::string> difference = toReference->difference(none))
    return difference;
  if (!command.bitwise)
    comparison.useShadow(exact, least);
  if (std::string tolerances = comparison.tolerances(); !tolerances.empty())
    llvm::outs() << "tolerance of " << tolerances << "\n";
  return std::nullopt;
}

/// The exit code.
int Bisection::reportPlainError() const {
  if (!none.isWrongLaunch)
    llvm::errs() << "the kernel fails without optional passes, so that none of them is to blame:\n";
  llvm::errs() << none.error << "\n";
  return none.isWrongLaunch ? 2 : 1;
}

/// Every target can compile what the passes of stage ttir leave: the first of them whose text gives something else on
/// the reference than the kernel does. Null if there is none.
const RecordedPass *Bisection::findWrongTtir(std::string &difference, llvm::StringRef &before) const {
  for (const RecordedPass &pass : none.passes) {
    if (!pass.changes || (pass.stage != "source" && pass.stage != "ttir"))
      continue;
    if (auto found = toReference->difference(evaluateReference(nullptr, pass.after.text))) {
      difference = *found;
      return &pass;
    }
    before = pass.after.text;
  }
  return nullptr;
}

static void printChange(const std::string &name, llvm::StringRef before, llvm::StringRef after) {
  llvm::outs() << "\n===== before " << name << " =====\n" << changedFunctions(before, after);
  llvm::outs() << "\n===== after " << name << " =====\n" << changedFunctions(after, before);
}

/// The result without optional passes is wrong. The exit code.
int Bisection::reportRequired(const std::string &difference) const {
  std::string target = referenceTarget(), names, ownDifference;
  llvm::outs() << "without optional passes, the result already differs from that on " << target << ": " << difference
               << "\n";
  llvm::StringRef before;
  if (const RecordedPass *pass = findWrongTtir(ownDifference, before); pass && pass->stage == "ttir") {
    llvm::outs() << "the first pass after which the result differs: " << pass->name
                 << ", stage ttir, which the target needs; on " << target << " its IR gives\n"
                 << ownDifference << "\n";
    printChange(pass->name, before, pass->after.text);
    return 1;
  }
  llvm::StringSet<> seen;
  for (const RecordedPass &pass : none.passes)
    if (pass.changes && !pass.isOptional && pass.stage != "source" && pass.stage != "ttir" &&
        seen.insert(pass.name).second)
      names += (names.empty() ? "" : ", ") + pass.name;
  llvm::outs() << "the IR of stage ttir gives the same on " << target
               << ", so that a later pass, which the target needs, is wrong, or the code of " << target
               << "; these change the IR: " << names << "\n"
               << "help: another `--reference` target, such as sim:hip:gfx942, shows which of the two is wrong\n";
  return 1;
}

void Bisection::printCulprit(unsigned count, const std::string &difference) const {
  Evaluation wrong = evaluateCount(count);
  unsigned number = 0;
  llvm::StringRef before;
  auto culprit = llvm::find_if(wrong.passes, [&](const RecordedPass &pass) {
    number += pass.isOptional;
    if (pass.isOptional && number == count)
      return true;
    if (pass.changes)
      before = pass.after.text;
    return false;
  });
  if (culprit == wrong.passes.end()) { // it failed, which the error names
    llvm::outs() << "the first wrong pass fails: number " << count << " of those that can be left out\n"
                 << wrong.error << "\n";
    return;
  }
  auto runs = std::count_if(wrong.passes.begin(), culprit, [&](const RecordedPass &pass) {
    return pass.stage == culprit->stage && pass.name == culprit->name;
  });
  llvm::outs() << "the first pass after which the result differs: " << culprit->name << ", stage " << culprit->stage
               << ", run " << runs + 1 << " of the pass in that stage, number " << count
               << " of those that can be left out\n"
               << difference << "\n";
  llvm::StringRef after = culprit->changes ? llvm::StringRef(culprit->after.text) : before;
  printChange(culprit->name, before, after);
  llvm::outs() << "\nhelp: TRITON_STOP_AFTER_PASS=" << count - 1 << " and =" << count
               << " compile both; `TRITON_REPRODUCER_PATH` writes a command that runs the stage's passes\n";
}

int Bisection::run() {
  none = evaluateCount(0);
  if (!none.succeeded)
    return reportPlainError();
  all = evaluateCount(allPasses);
  if (!command.plant.empty() &&
      llvm::none_of(all.passes, [&](const RecordedPass &pass) { return pass.name == command.plant; }))
    throw UsageError("--plant " + command.plant + ": no such pass runs; `tritonc show --passes` names those that do");
  std::vector<unsigned> counts = countsThatMatter();
  llvm::outs() << "kernel `" << kernel << "` on " << command.run.kernel.target << ": " << counts.size()
               << " runs of passes that can be left out change the IR\n";
  ResultComparison comparison(arguments.arrays(), none);
  if (std::optional<std::string> difference = compareWithReference(comparison))
    return reportRequired(*difference);
  std::optional<std::string> last = comparison.difference(all);
  if (!last) {
    llvm::outs() << "the result is the same without optional passes and with all\n";
    return 0;
  }
  // The result with counts[wrong] passes is wrong, and right with those before `right`.
  std::size_t right = 0, wrong = counts.size();
  while (wrong - right > 1) {
    std::size_t middle = right + (wrong - right) / 2;
    std::optional<std::string> difference = comparison.difference(evaluateCount(counts[middle - 1]));
    llvm::outs() << "after " << counts[middle - 1] << ": " << (difference ? "different" : "the same") << "\n";
    (difference ? wrong : right) = middle;
    if (difference)
      last = difference;
  }
  printCulprit(counts[wrong - 1], *last);
  return 1;
}

int tritonc::bisect(const BisectCommand &command) {
  if (std::string file = splitInput(command.run.kernel.input).file; !irStage(file).empty())
    throw UsageError("bisect takes a kernel file; `" + file + "` holds IR");
  if (command.timeLimit <= 0)
    throw UsageError("--time-limit " + std::to_string(command.timeLimit) + ": a launch gets at least 1 second");
  for (const std::string &target : {command.run.kernel.target, command.reference})
    if (!target.empty())
      parseTarget(target);
  parseGrid(command.run.grid);
  BisectCommand sequential = command;
  if (sequential.run.threads == 0)
    sequential.run.threads = 1; // programs of a grid run in the same order each time
  return Bisection(sequential).run();
}
