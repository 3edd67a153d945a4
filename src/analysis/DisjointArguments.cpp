#include "analysis/DisjointArguments.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace triton::analysis {

llvm::SmallVector<ArgumentPair> disjointPairs(FunctionOpInterface function) {
  llvm::SmallVector<ArgumentPair> pairs;
  auto numbers = function->getAttrOfType<DenseI32ArrayAttr>(disjointPairsAttribute);
  for (int64_t i = 0; numbers && i + 1 < numbers.size(); i += 2)
    pairs.emplace_back(unsigned(numbers[i]), unsigned(numbers[i + 1]));
  return pairs;
}

bool areDisjoint(FunctionOpInterface function, unsigned left, unsigned right) {
  return llvm::any_of(disjointPairs(function), [&](ArgumentPair pair) {
    return pair == ArgumentPair(left, right) || pair == ArgumentPair(right, left);
  });
}

} // namespace triton::analysis
