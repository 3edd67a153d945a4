// Registration of the dialect tt.
#include "ir/AccessHints.h"
#include "ir/Spellings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "ir/AtomicOpInterface.cpp.inc"
#include "ir/TritonDialect.cpp.inc"
#include "ir/TritonEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/TritonAttrs.cpp.inc"

namespace triton::tt {

void TritonDialect::initialize() {
  registerTypes();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/TritonAttrs.cpp.inc"
      >();
  registerTritonDialectOperations(this);
  registerInterfaces();
  attachAssumptionModels();
}

std::optional<Dialect::ParseOpHook> TritonDialect::getParseOperationHook(llvm::StringRef name) const {
  // In TTGIR of 3.9: a division that need not be correctly rounded.
  if (name == "tt.approx_divf")
    return ParseOpHook(parseRenamed<arith::DivFOp>);
  if (name == "tt.grid_dependency_wait")
    return ParseOpHook(parseRenamed<WaitForPriorLaunchOp>);
  if (name == "tt.grid_dependency_launch_dependents")
    return ParseOpHook(parseRenamed<AllowNextLaunchOp>);
  return std::nullopt;
}

unsigned getBlocks(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto blocks = module ? module->getAttrOfType<IntegerAttr>(blocksAttribute) : IntegerAttr();
  return blocks ? unsigned(blocks.getInt()) : 1;
}

Operation *TritonDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  if (isa<ub::PoisonAttr>(value))
    return ub::PoisonOp::create(builder, loc, type, cast<ub::PoisonAttr>(value));
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

} // namespace triton::tt
