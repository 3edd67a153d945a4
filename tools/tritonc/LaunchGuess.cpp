#include "LaunchGuess.h"
#include "ArgumentValues.h"
#include "Commands.h"

#include "api/KernelState.h"
#include "base/DescriptorType.h"
#include "base/ElementType.h"
#include "frontend/AST.h"

#include "llvm/ADT/StringSet.h"

#include <array>

using namespace tritonc;
using llvm::StringRef;

namespace {

/// An item of a signature, with the parameter that it is for.
struct Item {
  std::string name, value;
  bool isPointer() const { return StringRef(value).starts_with("*"); }
};

} // namespace

static std::vector<Item> matchItems(const triton::Kernel &kernel, const std::string &signature) {
  std::vector<Item> items;
  std::vector<std::string> unnamed;
  llvm::StringSet<> named;
  for (const std::string &text : splitItems(signature)) {
    auto [name, value] = StringRef(text).split('=');
    if (!StringRef(text).contains('=')) {
      unnamed.push_back(text);
      continue;
    }
    items.push_back({name.trim().str(), value.trim().str()});
    named.insert(name.trim());
  }
  std::size_t next = 0;
  for (const auto &parameter : triton::KernelInternals::stateOf(kernel).parameters)
    if (!named.contains(parameter.rule.name) && next < unnamed.size())
      items.push_back({parameter.rule.name, unnamed[next++]});
  return items;
}

static bool isInteger(const Item &item) {
  auto type = triton::base::parseElementType(StringRef(item.value).split(':').first.str());
  return type && !item.isPointer() && !StringRef(item.value).starts_with("fp") &&
         !StringRef(item.value).starts_with("bf");
}

/// What a type stands for when all integers without the hint 1 are `extent`.
static std::string valueOf(const Item &item, int64_t extent, int64_t elements) {
  if (triton::base::parseDescriptorType(item.value))
    throw UsageError("`" + item.name + "` is a tensor descriptor, of which no launch is made here");
  auto [type, hint] = StringRef(item.value).split(':');
  if (item.isPointer())
    return "rand:" + type.drop_front().ltrim('k').str() + "[" + std::to_string(elements) + "]";
  if (!triton::base::parseElementType(type.str()))
    return item.value; // a constant
  return isInteger(item) ? hint == "1" ? "1" : std::to_string(extent) : "0.5";
}

/// How many axes of the grid the text of the kernel names.
static unsigned axesOf(const triton::Kernel &kernel) {
  const auto &function = *triton::KernelInternals::stateOf(kernel).function;
  StringRef text = function.source->text(function.definition->range);
  for (unsigned axis : {2U, 1U})
    for (const char *call : {"program_id(", "program_id(axis="})
      if (text.contains(call + std::to_string(axis)))
        return axis + 1;
  return text.contains("program_id(") ? 1 : 0;
}

LaunchGuess tritonc::guessLaunch(const triton::Kernel &kernel, const std::string &signature) {
  constexpr int64_t aligned = 256, ragged = 200; // so that masks matter, where the signature allows it
  std::vector<Item> items = matchItems(kernel, signature);
  int64_t extent = ragged, largestBlock = 1, constant = 0;
  unsigned integers = 0;
  for (const Item &item : items) {
    if (isInteger(item)) {
      integers += !StringRef(item.value).ends_with(":1");
      if (StringRef(item.value).ends_with(":16"))
        extent = aligned;
    } else if (!StringRef(item.value).getAsInteger(10, constant)) {
      largestBlock = std::max(largestBlock, constant);
    }
  }
  unsigned axes = axesOf(kernel);
  bool isFlat = integers == 1 && axes == 1;
  std::string line = std::to_string(isFlat ? (extent + largestBlock - 1) / largestBlock : 4);
  LaunchGuess guess{std::array<std::string, 4>{"1", line, "2,2", "2,2,2"}[axes], {}};
  for (const Item &item : items)
    guess.arguments.push_back(item.name + "=" + valueOf(item, extent, isFlat ? extent : aligned * aligned));
  return guess;
}
