// Functions and calls of the dialect tt.
#include "ir/Dialect.h"

#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;

namespace triton::tt {

//===----------------------------------------------------------------------===//
// FuncOp
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                   ArrayRef<NamedAttribute> attrs, ArrayRef<DictionaryAttr> argAttrs) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attrs.begin(), attrs.end());
  state.addRegion();
  if (!argAttrs.empty())
    call_interface_impl::addArgAndResultAttrs(builder, state, argAttrs, /*resultAttrs=*/{},
                                              getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), buildType,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

bool FuncOp::isNoInline() {
  auto attribute = (*this)->getAttrOfType<BoolAttr>(noInlineAttrName);
  return attribute && attribute.getValue();
}

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

void CallOp::build(OpBuilder &builder, OperationState &state, FuncOp callee, ValueRange operands) {
  build(builder, state, callee.getSymName(), callee.getResultTypes(), operands);
}

void CallOp::build(OpBuilder &builder, OperationState &state, StringRef callee, TypeRange results,
                   ValueRange operands) {
  build(builder, state, results, FlatSymbolRefAttr::get(builder.getContext(), callee), operands,
        /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "calls `" << getCallee() << "`, but there is no such function in this module";
  if (TypeRange(callee.getArgumentTypes()) != getOperandTypes())
    return (emitOpError() << "passes (" << getOperandTypes() << ") to `" << getCallee() << "`, which takes ("
                          << callee.getArgumentTypes() << ")")
               .attachNote(callee.getLoc())
           << "declared here";
  if (TypeRange(callee.getResultTypes()) != getResultTypes())
    return (emitOpError() << "expects (" << getResultTypes() << ") from `" << getCallee() << "`, which returns ("
                          << callee.getResultTypes() << ")")
               .attachNote(callee.getLoc())
           << "declared here";
  return success();
}

//===----------------------------------------------------------------------===//
// ReturnOp
//===----------------------------------------------------------------------===//

LogicalResult ReturnOp::verify() {
  auto function = (*this)->getParentOfType<FuncOp>();
  if (TypeRange(function.getResultTypes()) != getOperandTypes())
    return emitOpError() << "returns (" << getOperandTypes() << "), but the function's results are ("
                         << function.getResultTypes() << ")";
  return success();
}

} // namespace triton::tt
