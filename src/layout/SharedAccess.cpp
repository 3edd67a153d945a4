// Bank conflicts of shared memory.
#include "layout/Drawing.h"
#include "layout/Elimination.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#include <algorithm>
#include <cassert>

namespace triton::layout {

/// The elements of a lane that are consecutive in memory: registers at the offsets 1, 2, 4, ..., if nothing else
/// affects those bits.
static unsigned findVectorLength(const LinearLayout &offsets, unsigned longest) {
  llvm::SmallVector<uint64_t> columns = offsets.columns();
  llvm::SmallVector<uint64_t> registers = offsets.sublayout({"register"}, {"offset"}).columns();
  unsigned length = 1;
  for (; length < longest; length *= 2) {
    bool found = llvm::is_contained(registers, length);
    bool alone = llvm::all_of(columns, [&](uint64_t c) { return c == length || (c & length) == 0; });
    if (!found || !alone || llvm::count(columns, length) != 1)
      break;
  }
  return length;
}

static llvm::SmallVector<llvm::StringRef> inputNames(const LinearLayout &layout) {
  return llvm::map_to_vector(layout.inputs(), [](const Input &input) { return llvm::StringRef(input.name); });
}

SharedAccess analyzeSharedAccess(const LinearLayout &distributed, const LinearLayout &shared, unsigned elementBits) {
  constexpr unsigned wordBytes = 4, banks = 32, widestAccess = 16;
  unsigned elementBytes = std::max(1u, elementBits / 8);
  std::optional<LinearLayout> inverse = shared.pseudoInverse();
  assert(inverse && "shared memory holds every element");
  // Each block of a cluster has its own memory, and only the place in that memory matters.
  LinearLayout offsets = distributed.compose(inverse->sublayout(inputNames(*inverse), {"offset"}));
  unsigned vector = findVectorLength(offsets, std::max(1u, widestAccess / elementBytes));

  SharedAccess access;
  access.vectorBytes = vector * elementBytes;
  access.vectorsPerLane = unsigned(distributed.inputSize("register")) / vector;
  access.lanes = std::min(32u, banks * wordBytes / std::max(access.vectorBytes, wordBytes));
  llvm::SmallVector<uint64_t> words, bankNumbers;
  for (uint64_t column : offsets.sublayout({"lane"}, {"offset"}).columns()) {
    if ((1u << words.size()) >= access.lanes)
      break;
    words.push_back(column * elementBytes / wordBytes);
    bankNumbers.push_back(words.back() % banks);
  }
  for (unsigned lane = 0; lane < access.lanes; ++lane) {
    int32_t start = offsets.apply({{"lane", int32_t(lane)}}).front().second;
    for (unsigned element = 0; element < vector; ++element)
      access.elements.push_back(shared.apply({{"offset", start + int32_t(element)}}));
  }
  access.degree = 1u << (Span(words).rank() - Span(bankNumbers).rank());
  return access;
}

} // namespace triton::layout
