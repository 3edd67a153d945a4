// Registration of the dialect ttg, and what its module attributes say.
#include "ir/gpu/Dialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "ir/gpu/TritonGPUDialect.cpp.inc"

#define GET_OP_CLASSES
#include "ir/gpu/TritonGPUOps.cpp.inc"

namespace triton::ttg {

void registerEncodingInference(TritonGPUDialect &dialect);

void TritonGPUDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "ir/gpu/TritonGPUOps.cpp.inc"
      >();
  registerEncodingInference(*this);
}

static unsigned readModuleInteger(Operation *op, llvm::StringRef name, unsigned absent) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto attribute = module ? module->getAttrOfType<IntegerAttr>(name) : IntegerAttr();
  return attribute ? unsigned(attribute.getInt()) : absent;
}

unsigned getNumWarps(Operation *op) { return readModuleInteger(op, numWarpsAttribute, 4); }

unsigned getThreadsPerWarp(Operation *op) { return readModuleInteger(op, threadsPerWarpAttribute, 32); }

unsigned getComputeCapability(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto target = module ? module->getAttrOfType<StringAttr>(targetAttribute) : StringAttr();
  unsigned capability = 0;
  if (target)
    target.getValue().split(':').second.getAsInteger(10, capability);
  return capability;
}

} // namespace triton::ttg
