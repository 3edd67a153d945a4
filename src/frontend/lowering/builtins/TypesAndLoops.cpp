#include "frontend/lowering/builtins/Functions.h"

namespace triton::frontend::builtin {

static std::optional<int64_t> optionalInteger(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  if (arguments[name].isNone())
    return std::nullopt;
  return integerArgument(lowering, arguments, name);
}

Value loopRange(Lowering &lowering, CallArguments &arguments) {
  bool hasStop = !arguments["arg2"].isNone();
  RangeValue range;
  range.lower = hasStop ? arguments["arg1"] : Value::integer(0);
  range.upper = hasStop ? arguments["arg2"] : arguments["arg1"];
  range.step = arguments["step"].isNone() ? Value::integer(1) : arguments["step"];
  range.isStatic = arguments.builtin.name == "static_range";
  if (range.isStatic)
    return range;
  range.numStages = optionalInteger(lowering, arguments, "num_stages");
  range.loopUnrollFactor = optionalInteger(lowering, arguments, "loop_unroll_factor");
  range.disallowAccMultiBuffer = booleanArgument(lowering, arguments, "disallow_acc_multi_buffer");
  range.flatten = booleanArgument(lowering, arguments, "flatten");
  range.warpSpecialize = booleanArgument(lowering, arguments, "warp_specialize");
  range.disableLicm = booleanArgument(lowering, arguments, "disable_licm");
  return range;
}

Value loopCondition(Lowering &lowering, CallArguments &arguments) {
  return LoopCondition{std::make_shared<const Value>(arguments["arg1"]),
                       booleanArgument(lowering, arguments, "disable_licm")};
}

Value constexprType(Lowering & /*lowering*/, CallArguments &arguments) { return arguments["value"]; }

Value tupleType(Lowering & /*lowering*/, CallArguments &arguments) {
  std::vector<Value> values = valuesArgument(arguments, "values");
  if (values.size() == 1 && values[0].tuple())
    return values[0];
  return arguments["values"];
}

Value pointerType(Lowering &lowering, CallArguments &arguments) {
  ElementType element = dtypeArgument(lowering, arguments, "element_ty");
  return Value(makeObject(
      ElementType{element.scalar, uint8_t(element.pointerDepth + 1), booleanArgument(lowering, arguments, "const")}));
}

Value elementTypeNamed(Lowering &lowering, CallArguments &arguments) {
  std::string name = stringArgument(lowering, arguments, "name");
  if (std::optional<ScalarType> type = parseScalarType(name))
    return Value(makeObject(ElementType{*type}));
  lowering.error(arguments.range("name"), diagnostics::UnknownType, name);
}

Value abstractType(Lowering &lowering, CallArguments &arguments) {
  lowering.error(diagnostics::AbstractType, arguments.builtin.displayName());
}

Value replaceAggregateFields(Lowering &lowering, CallArguments &arguments) {
  const Value &instance = arguments["instance"];
  if (!instance.aggregate())
    lowering.error(arguments.range("instance"), diagnostics::NotAnAggregate, instance.describe());
  const TupleValue &changes = *arguments["changes"].tuple();
  return replaceFields(lowering, *instance.aggregate(), changes.fieldNames, changes.elements,
                       arguments.range("changes"));
}

Value integerType(Lowering &lowering, CallArguments &arguments) {
  static constexpr ScalarType signedTypes[] = {ScalarType::Int8, ScalarType::Int16, ScalarType::Int32,
                                               ScalarType::Int64};
  static constexpr ScalarType unsignedTypes[] = {ScalarType::UInt8, ScalarType::UInt16, ScalarType::UInt32,
                                                 ScalarType::UInt64};
  int64_t width = integerArgument(lowering, arguments, "bitwidth");
  if (width == 1)
    return Value(makeObject(ElementType{ScalarType::Int1}));
  for (ScalarType type : booleanArgument(lowering, arguments, "signed") ? signedTypes : unsignedTypes)
    if (bitWidth(type) == width)
      return Value(makeObject(ElementType{type}));
  lowering.error(arguments.range("bitwidth"), diagnostics::IntegerWidth, width);
}

} // namespace triton::frontend::builtin
