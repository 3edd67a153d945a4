#include "gpu/layouts/CarriedValues.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::ttg {

void forEachCarriedValue(Operation *op, CarriedValueVisitor visit) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (unsigned i = 0; i < loop.getNumResults(); ++i)
      visit({loop.getRegionIterArg(i), loop.getResult(i)},
            {&loop.getInitArgsMutable()[i], &loop.getBody()->getTerminator()->getOpOperand(i)});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (unsigned i = 0; i < loop.getInits().size(); ++i)
      visit({loop.getBeforeArguments()[i]}, {&loop->getOpOperand(i), &loop.getYieldOp()->getOpOperand(i)});
    for (unsigned i = 0; i < loop.getNumResults(); ++i)
      visit({loop.getAfterArguments()[i], loop.getResult(i)}, {&loop.getConditionOp().getArgsMutable()[i]});
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (unsigned i = 0; i < branch.getNumResults(); ++i)
      visit({branch.getResult(i)}, {&branch.thenYield()->getOpOperand(i), &branch.elseYield()->getOpOperand(i)});
  }
}

} // namespace triton::ttg
