#include "simulator/core/ReachableMemory.h"

#include "simulator/core/Program.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

namespace triton::simulator {

StridedView::StridedView(uintptr_t begin, std::size_t elementBytes, std::vector<Dimension> given)
    : begin(begin), dimensions(std::move(given)), run(elementBytes) {
  for (const Dimension &dimension : dimensions)
    if (dimension.extent > 1 && dimension.stride != 0)
      levels.push_back(dimension);
  llvm::sort(levels, [](const Dimension &a, const Dimension &b) {
    return std::tie(a.stride, a.extent) > std::tie(b.stride, b.extent);
  });
  std::size_t all = run;
  for (const Dimension &level : levels)
    all += (level.extent - 1) * level.stride;
  while (!levels.empty() && levels.back().stride == run) {
    run *= levels.back().extent;
    levels.pop_back();
  }
  std::size_t span = run;
  for (const Dimension &level : llvm::reverse(levels)) {
    if (level.stride < span) {
      levels.clear();
      run = all;
      return;
    }
    span += (level.extent - 1) * level.stride;
  }
}

bool StridedView::contains(uintptr_t address, std::size_t size) const {
  std::size_t offset = address - begin;
  for (const Dimension &level : levels)
    offset -= std::min(offset / level.stride, level.extent - 1) * level.stride;
  return address >= begin && offset <= run && size <= run - offset;
}

static std::string tupleOf(llvm::ArrayRef<std::size_t> numbers) {
  std::string text = "(";
  for (auto [i, number] : llvm::enumerate(numbers))
    text += (i ? ", " : "") + std::to_string(number);
  return text + (numbers.size() == 1 ? ",)" : ")");
}

std::string StridedView::indexAt(uintptr_t address) const {
  std::size_t offset = address - begin;
  llvm::SmallVector<std::size_t> order, indices(dimensions.size());
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    if (dimensions[i].extent != 1 && dimensions[i].stride != 0)
      order.push_back(i);
  llvm::sort(order, [&](std::size_t a, std::size_t b) {
    return std::tie(dimensions[b].stride, a) < std::tie(dimensions[a].stride, b);
  });
  for (std::size_t i : order) {
    indices[i] = offset / dimensions[i].stride;
    offset -= indices[i] * dimensions[i].stride;
  }
  return tupleOf(indices);
}

std::string StridedView::shape() const {
  llvm::SmallVector<std::size_t> extents;
  for (const Dimension &dimension : dimensions)
    extents.push_back(dimension.extent);
  return tupleOf(extents);
}

std::vector<ReachableMemory> ReachableMemory::ofPlaces(const Program &program,
                                                       const std::vector<ParameterMemory> &parameters) {
  std::vector<ReachableMemory> places(program.locations.size());
  for (auto [place, origins] : llvm::zip_equal(places, program.origins)) {
    for (unsigned origin : origins) {
      auto known = llvm::find_if(parameters, [&](const ParameterMemory &memory) { return memory.parameter == origin; });
      if (known == parameters.end()) { // then it may be any
        place.parts.clear();
        break;
      }
      place.parts.push_back(&*known);
    }
  }
  return places;
}

} // namespace triton::simulator
