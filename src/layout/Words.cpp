#include "layout/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace triton::layout;

/// The only dimension along which the basis leads; none where there are several, or it makes copies.
static std::optional<unsigned> dimensionOf(const Basis &basis) {
  std::optional<unsigned> found;
  for (auto [dimension, coordinate] : llvm::enumerate(basis)) {
    if (coordinate == 0)
      continue;
    if (found)
      return std::nullopt;
    found = dimension;
  }
  return found;
}

static bool isCopy(const Basis &basis) {
  return llvm::all_of(basis, [](int32_t coordinate) { return coordinate == 0; });
}

/// How many elements from the first on are neighbours, and along which dimension.
static std::pair<int32_t, unsigned> neighbours(const Input &input) {
  int32_t count = 1;
  unsigned along = 0;
  for (const Basis &basis : input.bases) {
    std::optional<unsigned> dimension = dimensionOf(basis);
    if (!dimension || basis[*dimension] != count || (count > 1 && *dimension != along))
      break;
    along = *dimension;
    count *= 2;
  }
  return {count, along};
}

static std::string alongText(unsigned dimension, size_t rank) {
  return rank < 2 ? "" : " along dimension " + std::to_string(dimension);
}

static std::string describeThread(const Input &registers, size_t rank) {
  int32_t held = 1 << llvm::count_if(registers.bases, [](const Basis &basis) { return !isCopy(basis); });
  if (held == 1)
    return "a thread holds 1 element";
  std::string text = "a thread holds " + std::to_string(held) + " elements";
  auto [count, along] = neighbours(registers);
  if (count == 1)
    return text + ", none of them neighbours";
  if (count == held)
    return text + ", neighbours" + alongText(along, rank);
  return text + ", " + std::to_string(count) + " neighbours" + alongText(along, rank) + " at a time";
}

/// "32 lanes: 2 along dimension 0, 16 along dimension 1".
static std::string describeSpread(const Input &input, size_t rank) {
  std::vector<int32_t> along(rank, 1);
  int32_t several = 1, copies = 1;
  for (const Basis &basis : input.bases) {
    std::optional<unsigned> dimension = dimensionOf(basis);
    (dimension ? along[*dimension] : isCopy(basis) ? copies : several) *= 2;
  }
  std::vector<std::string> parts;
  for (auto [dimension, count] : llvm::enumerate(along))
    if (count > 1)
      parts.push_back(std::to_string(count) + (rank < 2 ? " side by side" : alongText(dimension, rank)));
  if (several > 1)
    parts.push_back(std::to_string(several) + " along several dimensions at once");
  if (copies > 1)
    parts.push_back(std::to_string(copies) + " with copies");
  return std::to_string(input.size()) + " " + input.name + "s: " + llvm::join(parts, ", ");
}

static std::string describeMemory(const Input &offsets, size_t rank) {
  bool isSwizzled =
      llvm::any_of(offsets.bases, [](const Basis &basis) { return !dimensionOf(basis) && !isCopy(basis); });
  std::string text = "neighbours" + alongText(neighbours(offsets).second, rank) + " lie side by side";
  return text + (isSwizzled ? ", and pieces change places from row to row (swizzled)" : "");
}

std::vector<std::string> triton::layout::describeInWords(const LinearLayout &layout) {
  size_t rank = layout.outputs().size();
  std::vector<std::string> sentences;
  if (const Input *offsets = layout.findInput("offset"))
    sentences.push_back(describeMemory(*offsets, rank));
  if (const Input *registers = layout.findInput("register"))
    sentences.push_back(describeThread(*registers, rank));
  for (llvm::StringRef name : {"lane", "warp", "block"})
    if (const Input *input = layout.findInput(name); input && input->bits() > 0)
      sentences.push_back(describeSpread(*input, rank));
  return sentences;
}
