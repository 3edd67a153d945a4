#include "frontend/lowering/StatedFacts.h"

namespace triton::frontend {

using Facts = mlir::DenseIntElementsAttr;

/// Of two statements about one value both hold.
static Facts combine(Facts facts, mlir::Attribute known) {
  auto before = llvm::dyn_cast_or_null<Facts>(known);
  if (!before || before.getType() != facts.getType())
    return facts;
  llvm::SmallVector<int32_t, 4> numbers;
  for (auto [left, right] : llvm::zip_equal(facts.getValues<int32_t>(), before.getValues<int32_t>()))
    numbers.push_back(std::max(left, right));
  return Facts::get(facts.getType(), llvm::ArrayRef<int32_t>(numbers));
}

static void stateOfParameter(Lowering &lowering, mlir::FunctionOpInterface function, unsigned parameter,
                             llvm::StringRef attribute, int32_t number) {
  if (auto known = function.getArgAttrOfType<mlir::IntegerAttr>(parameter, attribute))
    number = std::max(number, int32_t(known.getInt()));
  function.setArgAttr(parameter, attribute, lowering.builder.getI32IntegerAttr(number));
}

static void state(Lowering &lowering, mlir::Value value, llvm::StringRef attribute, Facts facts) {
  if (mlir::Operation *definition = value.getDefiningOp()) {
    if (definition->getNumRegions() == 0) // The results of loops and branches are what these yield.
      definition->setDiscardableAttr(attribute, combine(facts, definition->getDiscardableAttr(attribute)));
    return;
  }
  auto argument = mlir::cast<mlir::BlockArgument>(value);
  auto function = mlir::dyn_cast<mlir::FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function)
    lowering.carriedFacts[value].push_back({attribute, facts});
  else if (argument.getOwner()->isEntryBlock())
    stateOfParameter(lowering, function, argument.getArgNumber(), attribute, *facts.getValues<int32_t>().begin());
}

void stateFacts(Lowering &lowering, mlir::Value value, llvm::StringRef attribute, llvm::ArrayRef<int64_t> numbers) {
  llvm::SmallVector<int32_t, 4> entries(numbers.begin(), numbers.end());
  auto type = mlir::RankedTensorType::get({int64_t(entries.size())}, lowering.builder.getI32Type());
  state(lowering, value, attribute, Facts::get(type, llvm::ArrayRef<int32_t>(entries)));
}

void stateCarriedFacts(Lowering &lowering, mlir::ValueRange carried, llvm::ArrayRef<mlir::ValueRange> sources) {
  for (auto [index, argument] : llvm::enumerate(carried)) {
    auto found = lowering.carriedFacts.find(argument);
    if (found == lowering.carriedFacts.end())
      continue;
    auto stated = std::move(found->second);
    lowering.carriedFacts.erase(found);
    for (auto [attribute, facts] : stated)
      for (mlir::ValueRange values : sources)
        if (values[index] != argument) // An iteration may pass the variable on as it is.
          state(lowering, values[index], attribute, facts);
  }
}

} // namespace triton::frontend
