// Barriers in shared memory on AMD's gfx1250, at which each thread arrives.
#include "frontend/lowering/builtins/Units.h"
#include "gpu/ir/ForeignDialects.h"

namespace triton::frontend::builtin {

static mlir::Value ldsBarrier(Lowering &lowering, CallArguments &arguments) {
  requireArchitecture(lowering, arguments, "gfx1250");
  return barrierValue(lowering, arguments["mbarrier"], arguments.range("mbarrier"));
}

static int64_t arrivalCount(Lowering &lowering, CallArguments &arguments) {
  return countArgument(lowering, arguments, "count", "cannot arrive {0} times", 1, mostOfBarrier);
}

Value initLdsBarrier(Lowering &lowering, CallArguments &arguments) {
  mlir::Value barrier = ldsBarrier(lowering, arguments);
  int64_t count =
      countArgument(lowering, arguments, "count", "cannot make a barrier at which {0} arrive", 1, mostOfBarrier);
  lowering.create<ttg::InitBarrierOp>(barrier, uint32_t(count), /*manual=*/true);
  meet(lowering);
  return Value();
}

Value waitLdsBarrier(Lowering &lowering, CallArguments &arguments) {
  mlir::Value barrier = ldsBarrier(lowering, arguments);
  lowering.create<ttg::WaitBarrierOp>(barrier, awaitedPhase(lowering, arguments));
  return Value();
}

Value arriveInEachThread(Lowering &lowering, CallArguments &arguments) {
  mlir::Value barrier = ldsBarrier(lowering, arguments);
  auto arrival = lowering.create<ttg::amdg::ArriveBarrierOp>(lowering.builder.getI32Type(), barrier,
                                                             uint32_t(arrivalCount(lowering, arguments)));
  return Tensor{arrival, ScalarType::Int32};
}

/// Threads have moved the elements of the engine's copies, so that one of them arrives for all.
Value arriveAfterBlocks(Lowering &lowering, CallArguments &arguments) {
  mlir::Value barrier = ldsBarrier(lowering, arguments);
  meet(lowering);
  mlir::IntegerAttr count = lowering.builder.getI32IntegerAttr(int32_t(arrivalCount(lowering, arguments)));
  lowering.create<ttg::ArriveBarrierOp>(barrier, mlir::Value(), mlir::ValueRange(), /*allBlocks=*/false, count,
                                        /*fromBlocks=*/mlir::IntegerAttr());
  return Value();
}

Value arriveAfterLdsCopies(Lowering &lowering, CallArguments &arguments) {
  lowering.create<ttg::ArriveAfterCopiesOp>(ldsBarrier(lowering, arguments), /*isCounted=*/true);
  return Value();
}

} // namespace triton::frontend::builtin
