#include "compiler/Explanation.h"

#include "llvm/ADT/StringSet.h"

using namespace triton;
using namespace triton::compiler;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {

/// One operation of the kernel, with all that was said about it.
struct Entry {
  base::SourcePlace place;
  std::vector<base::SourcePlace> callers;
  llvm::StringSet<> names; ///< of the remarks, by kind
  Object members;
};

/// The entries of a category, in the order in which they were first mentioned.
class Entries {
public:
  void add(OptimizationRemark remark) {
    Entry &entry = find(remark);
    entry.names.insert(nameWithKind(remark));
    if (remark.kind == OptimizationRemark::Kind::Missed) {
      addMissed(entry, remark);
      return;
    }
    // What passes measure describes the operation itself; what they decide has its name.
    bool isDescription = remark.kind == OptimizationRemark::Kind::Found || remark.name == primary;
    if (!isDescription) {
      if (!remark.text.empty())
        remark.facts["text"] = remark.text;
      if (!remark.reason.empty())
        remark.facts["reason"] = remark.reason;
      entry.members[llvm::StringRef(remark.name).lower()] = std::move(remark.facts);
      return;
    }
    for (auto &[name, value] : remark.facts)
      entry.members[name] = std::move(value);
  }

  Array take() {
    Array array;
    for (Entry &entry : list)
      array.push_back(std::move(entry.members));
    return array;
  }

  /// The name of the decision that describes the operation.
  std::string primary;

private:
  /// What was decided, and why it was not something better, may have one name.
  static std::string nameWithKind(const OptimizationRemark &remark) {
    return (remark.kind == OptimizationRemark::Kind::Missed ? "missed " : "") + remark.name;
  }

  /// Copies of an operation have the same place: the first that lacks such a remark.
  Entry &find(const OptimizationRemark &remark) {
    std::string name = nameWithKind(remark);
    for (Entry &entry : list)
      if (entry.place == remark.place && entry.callers == remark.callers && !entry.names.contains(name))
        return entry;
    Entry &entry = list.emplace_back(Entry{remark.place, remark.callers, {}, {}});
    entry.members["place"] = compiler::toJson(remark.place);
    if (!remark.callers.empty()) {
      Array callers;
      for (const base::SourcePlace &caller : remark.callers)
        callers.push_back(compiler::toJson(caller));
      entry.members["callers"] = std::move(callers);
    }
    return entry;
  }

  static void addMissed(Entry &entry, const OptimizationRemark &remark) {
    Object missed{{"name", remark.name}, {"text", remark.text}, {"reason", remark.reason}};
    if (!remark.suggestion.empty())
      missed["suggestion"] = remark.suggestion;
    if (remark.cause.line != 0)
      missed["cause"] = compiler::toJson(remark.cause);
    Value &list = entry.members["missed"];
    if (!list.getAsArray())
      list = Array();
    list.getAsArray()->push_back(std::move(missed));
  }

  std::vector<Entry> list;
};

} // namespace

std::string compiler::writeExplanation(const base::CompiledKernel &kernel, std::vector<OptimizationRemark> remarks,
                                       Object resources, const std::string &assemblerError) {
  // Categories of ir/Remarks.h and the members that they become.
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> members[] = {
      {"program", "program"}, {"loop", "loops"},     {"product", "products"},
      {"access", "accesses"}, {"layout", "layouts"}, {"conversion", "conversions"},
  };
  std::map<std::string, Entries> categories;
  categories["product"].primary = "Unit";
  categories["layout"].primary = "Layout";
  for (OptimizationRemark &remark : remarks) {
    std::string category = remark.category;
    categories[category].add(std::move(remark));
  }
  Object root{{"kernel", llvm::json::fixUTF8(kernel.name)},
              {"target", kernel.target.backend + ":" + kernel.target.arch},
              {"num_warps", kernel.options.numWarps},
              {"num_stages", kernel.options.numStages},
              {"num_ctas", kernel.options.numCtas}};
  for (auto [category, member] : members)
    root[member] = categories[category.str()].take();
  if (!assemblerError.empty())
    resources["assembler_error"] = llvm::json::fixUTF8(assemblerError);
  root["resources"] = std::move(resources);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", Value(std::move(root)));
  return text;
}
