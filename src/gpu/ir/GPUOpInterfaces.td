// What the middle end asks of operations, whatever dialect they belong to. Operations of dialect ttg answer for
// themselves; InterfaceModels.cpp answers for those of tt and arith.
#ifndef TRITON_GPU_IR_OP_INTERFACES_TD
#define TRITON_GPU_IR_OP_INTERFACES_TD

include "mlir/IR/OpBase.td"

def TTG_PredicableOpInterface : OpInterface<"PredicableOpInterface"> {
  let cppNamespace = "::triton::ttg";
  let description = [{
    An operation with an effect, or with operands for which it is undefined, that can run for an iteration that does not
    exist when a condition says so.
  }];
  let methods = [
    InterfaceMethod<[{
      Changes the operation so that it accesses no global memory and is defined where `condition`, of type i1, is false;
      its results are then not used. `builder` stands before the operation.
    }], "void", "predicate", (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$condition)>
  ];
}

#endif
