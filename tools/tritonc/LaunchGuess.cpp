#include "LaunchGuess.h"
#include "ArgumentValues.h"
#include "Commands.h"

#include "api/KernelState.h"
#include "base/DescriptorType.h"
#include "base/ElementType.h"
#include "frontend/AST.h"
#include "language_server/StrideRoles.h"

#include "llvm/ADT/StringMap.h"

#include <array>

using namespace tritonc;
using llvm::StringRef;
using triton::language_server::GuessedItem;
using triton::language_server::StrideRole;

using Item = SignatureItem;

std::vector<SignatureItem> tritonc::signatureItems(const triton::Kernel &kernel, const std::string &signature) {
  std::vector<std::string> unnamed;
  llvm::StringMap<std::string> named;
  for (StringRef text : splitItems(signature)) {
    auto [name, value] = text.split('=');
    if (text.contains('='))
      named[name.trim()] = value.trim().str();
    else
      unnamed.push_back(text.str());
  }
  std::vector<SignatureItem> items;
  std::size_t next = 0;
  for (const auto &parameter : triton::KernelInternals::stateOf(kernel).parameters)
    if (auto given = named.find(parameter.rule.name); given != named.end())
      items.push_back({parameter.rule.name, given->second});
    else if (next < unnamed.size())
      items.push_back({parameter.rule.name, unnamed[next++]});
  return items;
}

static bool isInteger(const Item &item) {
  auto type = triton::base::parseElementType(StringRef(item.value).split(':').first.str());
  return type && !item.isPointer() && !StringRef(item.value).starts_with("fp") &&
         !StringRef(item.value).starts_with("bf");
}

constexpr int64_t aligned = 256, ragged = 200; // so that masks matter, where the signature allows it
constexpr int64_t batches = 4;                 // of arrays with more than two dimensions: as many as there are programs

/// The extents of a launch that is guessed.
struct Extents {
  int64_t integer;  ///< of integers that are not strides
  int64_t elements; ///< of arrays
};

/// A stride of an array whose last two extents are `aligned`.
static int64_t strideOf(const StrideRole &role) {
  int64_t stride = role.count > 1 && role.place == 0 ? 1 : aligned;
  for (unsigned place = 2; place <= role.place; ++place)
    stride *= place == 2 ? aligned : batches;
  return stride;
}

/// What a type stands for.
static GuessedItem valueOf(const Item &item, const Extents &extents, const std::map<std::string, StrideRole> &strides) {
  if (auto descriptor = triton::base::parseDescriptorType(item.value)) {
    std::string shape;
    for (int64_t block : descriptor->block())
      shape += (shape.empty() ? "" : ", ") + std::to_string(2 * block);
    return {item.name, "rand:" + item.value + "[" + shape + "]", "it is two blocks in each direction"};
  }
  auto [type, hints] = StringRef(item.value).split(':');
  if (item.isPointer())
    return {item.name, "rand:" + type.drop_front().ltrim('k').str() + "[" + std::to_string(extents.elements) + "]",
            "so many elements lie within the guessed extents and strides"};
  if (!triton::base::parseElementType(type.str()))
    return {item.name, item.value, "the signature has it"};
  if (!isInteger(item))
    return {item.name, "0.5", "any fraction would do"};
  if (hints == "1")
    return {item.name, "1", "the signature says so"};
  if (auto stride = strides.find(item.name); stride != strides.end())
    return {item.name, std::to_string(strideOf(stride->second)),
            "its name is that of a stride, of an array row by row"};
  return {item.name, std::to_string(extents.integer), "all integers are equal, as extents of square arrays"};
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
  std::vector<Item> items = signatureItems(kernel, signature);
  auto strides = triton::language_server::strideRoles(*triton::KernelInternals::stateOf(kernel).function);
  int64_t extent = ragged, largestBlock = 1, constant = 0;
  unsigned integers = 0, dimensions = 2;
  for (const Item &item : items) {
    auto stride = strides.find(item.name);
    if (stride != strides.end())
      dimensions = std::max(dimensions, stride->second.count);
    if (isInteger(item)) {
      integers += !StringRef(item.value).ends_with(":1");
      if (StringRef(item.value).contains(":16") && stride == strides.end())
        extent = aligned;
    } else if (!StringRef(item.value).getAsInteger(10, constant)) {
      largestBlock = std::max(largestBlock, constant);
    }
  }
  unsigned axes = axesOf(kernel);
  bool isFlat = integers == 1 && axes == 1;
  std::string line = std::to_string(isFlat ? (extent + largestBlock - 1) / largestBlock : batches);
  Extents extents{extent, isFlat ? extent : aligned * aligned};
  for (unsigned dimension = 2; dimension < dimensions; ++dimension)
    extents.elements *= batches;
  LaunchGuess guess;
  guess.grid = {"grid", std::array<std::string, 4>{"1", line, "2,2", "2,2,2"}[axes],
                "the kernel asks for " + std::to_string(axes) + " numbers of its program"};
  for (const Item &item : items)
    guess.arguments.push_back(valueOf(item, extents, strides));
  return guess;
}
