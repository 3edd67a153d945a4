// Registration of the dialect tt.
#include "ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

#include "ir/TritonDialect.cpp.inc"
#include "ir/TritonEnums.cpp.inc"

#define GET_OP_CLASSES
#include "ir/TritonOps.cpp.inc"

namespace triton::tt {

void TritonDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "ir/TritonOps.cpp.inc"
      >();
  registerInterfaces();
}

Operation *TritonDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  if (isa<ub::PoisonAttr>(value))
    return ub::PoisonOp::create(builder, loc, type, cast<ub::PoisonAttr>(value));
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

} // namespace triton::tt
