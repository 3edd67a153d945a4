#include "compiler/ScopeRecords.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::compiler {

std::string ScopeOptions::text() const {
  std::string text = "scopes";
  if (products)
    text += ",products";
  if (records != 0)
    text += ",records=" + std::to_string(records);
  if (keepsLatest)
    text += ",latest";
  if (warpsOfUnit != 0)
    text += ",warps=" + std::to_string(warpsOfUnit);
  for (unsigned unit : selection)
    text += ",unit=" + std::to_string(unit);
  return text;
}

llvm::Expected<ScopeOptions> parseScopeOptions(llvm::StringRef text) {
  ScopeOptions options;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    unsigned unit = 0;
    auto readNumber = [&](const char *prefix, unsigned &number) {
      llvm::StringRef value = part;
      return value.consume_front(prefix) && !value.getAsInteger(10, number);
    };
    if (part == "products")
      options.products = true;
    else if (part == "latest")
      options.keepsLatest = true;
    else if (readNumber("unit=", unit))
      options.selection.push_back(unit);
    else if (part != "scopes" && !readNumber("records=", options.records) && !readNumber("warps=", options.warpsOfUnit))
      return llvm::createStringError("the option `profile_scopes` is `" + text + "`, of which `" + part +
                                     "` is unknown; the profiler sets this option");
  }
  return options;
}

static constexpr char prefix[] = "the profiler's scopes ";

std::string ScopeTable::argumentName() const {
  return prefix + std::to_string(units) + " " + std::to_string(records) + "\n" + llvm::join(paths, "\n");
}

bool ScopeTable::parse(llvm::StringRef argumentName, ScopeTable &table) {
  if (!argumentName.consume_front(prefix))
    return false;
  auto [sizes, paths] = argumentName.split('\n');
  auto [units, records] = sizes.split(' ');
  if (units.getAsInteger(10, table.units) || records.getAsInteger(10, table.records))
    return false;
  for (llvm::StringRef path : llvm::split(paths, '\n'))
    table.paths.push_back(path.str());
  return true;
}

} // namespace triton::compiler
