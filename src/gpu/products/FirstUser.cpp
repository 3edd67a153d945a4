#include "gpu/products/FirstUser.h"

#include "mlir/IR/Operation.h"

using namespace mlir;

namespace triton::ttg {

Operation *findFirstUser(Value value, Block &block) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers())
    if (Operation *inBlock = block.findAncestorOpInBlock(*user))
      if (!first || inBlock->isBeforeInBlock(first))
        first = inBlock;
  return first;
}

} // namespace triton::ttg
