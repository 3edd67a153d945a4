#include "frontend/lowering/builtins/Functions.h"
#include "gpu/ir/Dialect.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace triton::frontend::builtin {
namespace {

struct DotShape {
  llvm::SmallVector<int64_t, 4> batch;
  int64_t m, n, k;
  llvm::SmallVector<int64_t, 4> result() const {
    llvm::SmallVector<int64_t, 4> shape(batch);
    shape.append({m, n});
    return shape;
  }
};

DotShape shapeOfDot(Lowering &lowering, const TensorType &left, const TensorType &right) {
  int64_t rank = left.rank();
  bool matches = rank >= 2 && rank == right.rank() && left.shape[rank - 1] == right.shape[rank - 2] &&
                 llvm::equal(llvm::ArrayRef(left.shape).drop_back(2), llvm::ArrayRef(right.shape).drop_back(2));
  if (!matches)
    lowering.error(diagnostics::DotShapes, left.str(), right.str());
  return {llvm::SmallVector<int64_t, 4>(llvm::ArrayRef(left.shape).drop_back(2)), left.shape[rank - 2],
          right.shape[rank - 1], left.shape[rank - 1]};
}

void checkOperandTypes(Lowering &lowering, const TensorType &left, const TensorType &right) {
  auto isSupported = [](const ElementType &element) {
    return !element.isPointer() && (isFloat(element.scalar) || element.scalar == ScalarType::Int8);
  };
  bool isFloat8Pair = isSupported(left.element) && isSupported(right.element) && isFloat8(left.element.scalar) &&
                      isFloat8(right.element.scalar);
  bool isEqualPair = isSupported(left.element) && left.element == right.element;
  if (!isFloat8Pair && !isEqualPair)
    lowering.error(diagnostics::DotTypes, left.str(), right.str());
}

tt::InputPrecision inputPrecision(Lowering &lowering, CallArguments &arguments) {
  const LoweringOptions &options = lowering.options;
  if (!arguments["allow_tf32"].isNone() && !arguments["input_precision"].isNone())
    lowering.error(arguments.range("allow_tf32"), diagnostics::TwoPrecisions);
  std::string name = llvm::StringRef(stringArgument(lowering, arguments, "input_precision")).lower();
  if (name.empty()) {
    bool allowsTf32 = arguments["allow_tf32"].isNone() || booleanArgument(lowering, arguments, "allow_tf32");
    name = allowsTf32 ? options.language.defaultInputPrecision : "ieee";
  }
  std::optional<tt::InputPrecision> precision = tt::symbolizeInputPrecision(name);
  if (!precision || !llvm::is_contained(options.language.inputPrecisions, name))
    lowering.error(arguments.range("input_precision"), diagnostics::UnknownChoice, std::string("tl.dot"),
                   std::string("input_precision"), name, llvm::join(options.language.inputPrecisions, ", "));
  return *precision;
}

/// The accumulator's type: fixed by the operands except for small floats, where the user chooses.
ScalarType accumulatorType(Lowering &lowering, CallArguments &arguments, ScalarType operand) {
  if (operand == ScalarType::Int8)
    return ScalarType::Int32;
  if (operand == ScalarType::Float64)
    return ScalarType::Float64;
  if (operand == ScalarType::Float32 || operand == ScalarType::BFloat16)
    return ScalarType::Float32;
  ScalarType type = ScalarType::Float32;
  if (!arguments["out_dtype"].isNone())
    type = dtypeArgument(lowering, arguments, "out_dtype").scalar;
  else if (const Tensor *accumulator = arguments["acc"].tensor())
    type = accumulator->type.element.scalar;
  if (type != ScalarType::Float32 && type != ScalarType::Float16)
    lowering.error(arguments.range("out_dtype"), diagnostics::DotOutType, std::string(longName(type)));
  return type;
}

Tensor accumulator(Lowering &lowering, CallArguments &arguments, const TensorType &type) {
  if (arguments["acc"].isNone())
    return constantTensor(lowering, Number(llvm::APSInt::get(0)), type);
  Tensor acc = tensorArgument(lowering, arguments, "acc");
  if (acc.type != type)
    lowering.error(arguments.range("acc"), diagnostics::DotAccumulator, acc.type.str(), type.str());
  return acc;
}

/// Several leading dimensions as one.
Tensor flattenBatch(Lowering &lowering, const Tensor &tensor) {
  if (tensor.type.rank() <= 3)
    return tensor;
  auto tail = llvm::ArrayRef(tensor.type.shape).take_back(2);
  int64_t batch = tensor.type.elementCount() / (tail[0] * tail[1]);
  return reshape(lowering, tensor, {batch, tail[0], tail[1]}, false);
}

int32_t impreciseSteps(Lowering &lowering, CallArguments &arguments, ScalarType operand, int64_t k) {
  if (arguments["max_num_imprecise_acc"].isNone())
    return 0;
  int64_t steps = integerArgument(lowering, arguments, "max_num_imprecise_acc");
  if (!isFloat8(operand))
    return 0;
  if (steps > k)
    lowering.error(arguments.range("max_num_imprecise_acc"), diagnostics::ImpreciseSteps, steps, k);
  return int32_t(steps);
}

} // namespace

/// A product whose unit the compiler would choose.
static void refuseInGluon(Lowering &lowering, CallArguments &arguments) {
  if (lowering.isGluon)
    lowering.error(arguments.callRange, diagnostics::ProductWithoutUnit, arguments.builtin.displayName());
}

Value dot(Lowering &lowering, CallArguments &arguments) {
  refuseInGluon(lowering, arguments);
  Tensor left = tensorArgument(lowering, arguments, "input"), right = tensorArgument(lowering, arguments, "other");
  checkOperandTypes(lowering, left.type, right.type);
  DotShape shape = shapeOfDot(lowering, left.type, right.type);
  if (left.type.element.scalar == ScalarType::Float8E4B15 || right.type.element.scalar == ScalarType::Float8E4B15) {
    left = cast(lowering, left, ElementType{ScalarType::Float16});
    right = cast(lowering, right, ElementType{ScalarType::Float16});
  }
  ScalarType operand = left.type.element.scalar;
  TensorType type(accumulatorType(lowering, arguments, operand), shape.result());
  tt::InputPrecision precision = inputPrecision(lowering, arguments);
  if (operand != ScalarType::Float32)
    precision = arguments["input_precision"].isNone() ? tt::InputPrecision::IEEE : precision;
  Tensor acc = flattenBatch(lowering, accumulator(lowering, arguments, type));
  left = flattenBatch(lowering, left);
  right = flattenBatch(lowering, right);
  mlir::Value product = lowering.create<tt::DotOp>(acc.value.getType(), left.value, right.value, acc.value, precision,
                                                   uint32_t(impreciseSteps(lowering, arguments, operand, shape.k)));
  return reshape(lowering, Tensor{product, acc.type}, type.shape, false);
}

/// A function of the same name in the module of each of AMD's architectures, and the version of its results' layouts.
struct ArchitectureProduct {
  llvm::StringLiteral name, architecture;
  unsigned layoutVersion;
};
static constexpr ArchitectureProduct architectureProducts[] = {
    {"amd.rdna3.wmma", "gfx11", 1},
    {"amd.rdna4.wmma", "gfx120", 2},
    {"amd.cdna5.wmma", "gfx125", 2}, // gfx1250 has the layouts of gfx12, and deeper instructions.
};

/// Null for a function that is not one of an architecture.
static const ArchitectureProduct *findArchitectureProduct(const Builtin &builtin) {
  const auto *found =
      llvm::find_if(architectureProducts, [&](const ArchitectureProduct &one) { return one.name == builtin.name; });
  return found == std::end(architectureProducts) ? nullptr : found;
}

/// Whether results with this layout are what the function computes.
static bool isLayoutOf(const Builtin &builtin, mlir::Attribute layout) {
  if (builtin.name == "dot_fma")
    return mlir::isa_and_nonnull<ttg::BlockedEncodingAttr>(layout);
  if (builtin.name == "mfma")
    return mlir::isa_and_nonnull<ttg::AmdMfmaEncodingAttr>(layout);
  if (const ArchitectureProduct *product = findArchitectureProduct(builtin)) {
    auto matrix = mlir::dyn_cast_or_null<ttg::AmdWmmaEncodingAttr>(layout);
    return matrix && matrix.getVersion() == product->layoutVersion;
  }
  auto matrix = mlir::dyn_cast_or_null<ttg::NvidiaMmaEncodingAttr>(layout);
  return matrix && matrix.getVersionMajor() == 2;
}

/// Whether products of operands of this type can be added to sums of that type. What else a unit of NVIDIA's GPUs does
/// not do depends on the architecture, whose lowering says it.
static bool canAccumulate(const Builtin &builtin, ScalarType operand, ScalarType sum) {
  if (operand == ScalarType::Int8 || operand == ScalarType::UInt8)
    return sum == ScalarType::Int32;
  if (builtin.name == "mfma")
    return sum == (operand == ScalarType::Float64 ? ScalarType::Float64 : ScalarType::Float32);
  return isFloat(sum);
}

Value gluonProduct(Lowering &lowering, CallArguments &arguments) {
  Tensor left = tensorArgument(lowering, arguments, "a"), right = tensorArgument(lowering, arguments, "b"),
         acc = tensorArgument(lowering, arguments, "acc");
  std::string callee = arguments.builtin.displayName();
  bool isOfNvidia = arguments.builtin.name == "mma_v2", isOfAmd = !isOfNvidia && arguments.builtin.name != "dot_fma";
  if (isOfNvidia || isOfAmd)
    requireVendor(lowering, arguments, isOfAmd ? amd : nvidia);
  if (const ArchitectureProduct *product = findArchitectureProduct(arguments.builtin))
    requireArchitecture(lowering, arguments, product->architecture);
  if (!isLayoutOf(arguments.builtin, acc.type.layout))
    lowering.error(arguments.range("acc"), diagnostics::ProductLayout, callee, acc.type.str());
  for (auto [index, name, operand] : {std::tuple(0u, "a", &left), std::tuple(1u, "b", &right)}) {
    auto layout = mlir::dyn_cast_or_null<ttg::DotOperandEncodingAttr>(operand->type.layout);
    if (!layout || layout.getOpIdx() != index || layout.getParent() != acc.type.layout)
      lowering.error(arguments.range(name), diagnostics::ProductOperand, callee, std::string(name), int64_t(index),
                     operand->type.str(), acc.type.str());
  }
  auto widthOf = [](const Tensor &operand) {
    return mlir::cast<ttg::DotOperandEncodingAttr>(operand.type.layout).getKWidth();
  };
  if (widthOf(left) != widthOf(right))
    lowering.error(arguments.range("b"), diagnostics::ProductWidths, callee, left.type.str(), right.type.str());
  checkOperandTypes(lowering, left.type, right.type);
  ScalarType operand = left.type.element.scalar;
  if (shapeOfDot(lowering, left.type, right.type).result() != acc.type.shape)
    lowering.error(arguments.range("acc"), diagnostics::DotShapes, left.type.str(), right.type.str());
  if (acc.type.element.isPointer() || !canAccumulate(arguments.builtin, operand, acc.type.element.scalar))
    lowering.error(arguments.range("acc"), diagnostics::GroupProduct, callee,
                   "products of " + left.type.element.str() + " are not added to " + acc.type.element.str());
  static constexpr llvm::StringLiteral registers[] = {"", "a", "v"};
  if (arguments.builtin.name == "mfma")
    choiceArgument(lowering, arguments, "cd_regclass", registers);
  bool roundsToTf32 = operand == ScalarType::Float32 && isOfNvidia;
  static constexpr llvm::StringLiteral precisions[] = {"", "tf32"};
  if (roundsToTf32)
    choiceArgument(lowering, arguments, "input_precision", precisions);
  mlir::Value product = lowering.create<tt::DotOp>(acc.value.getType(), left.value, right.value, acc.value,
                                                   roundsToTf32 ? tt::InputPrecision::TF32 : tt::InputPrecision::IEEE,
                                                   /*maxNumImpreciseAcc=*/0u);
  return Tensor{product, acc.type};
}

namespace {

struct ScaledOperand {
  Tensor value;
  mlir::Value scale;
  tt::ScaleDotElemType format;
  int64_t outer, inner; ///< M or N, and K, in elements
  int64_t group = 0;    ///< elements that share a scale; 0 without scales
  bool packsInner;
};

void readScales(Lowering &lowering, CallArguments &arguments, const std::string &name, ScaledOperand &operand) {
  if (arguments[name].isNone())
    return;
  Tensor scales = tensorArgument(lowering, arguments, name);
  llvm::SmallVector<int64_t, 4> shape(llvm::ArrayRef(operand.value.type.shape).drop_back(2));
  shape.append({operand.outer, 0});
  for (int64_t group : {32, 16}) {
    shape.back() = operand.inner / group;
    if (scales.type.shape == shape)
      operand.group = group;
  }
  static constexpr ScalarType types[] = {ScalarType::UInt8, ScalarType::Int8, ScalarType::Float8E4NV};
  if (operand.group == 0 || scales.type.element.isPointer() || !llvm::is_contained(types, scales.type.element.scalar))
    lowering.error(arguments.range(name), diagnostics::ScaledScale, name, scales.type.str(), operand.outer,
                   operand.inner);
  operand.scale = scales.value;
}

ScaledOperand scaledOperand(Lowering &lowering, CallArguments &arguments, llvm::StringRef side, bool isLeft) {
  static constexpr llvm::StringLiteral formats[] = {"e2m1", "e4m3", "e5m2", "bf16", "fp16"};
  static constexpr tt::ScaleDotElemType types[] = {tt::ScaleDotElemType::E2M1, tt::ScaleDotElemType::E4M3,
                                                   tt::ScaleDotElemType::E5M2, tt::ScaleDotElemType::BF16,
                                                   tt::ScaleDotElemType::FP16};
  static constexpr std::pair<ScalarType, ScalarType> storage[] = {{ScalarType::UInt8, ScalarType::UInt8},
                                                                  {ScalarType::UInt8, ScalarType::Float8E4NV},
                                                                  {ScalarType::UInt8, ScalarType::Float8E5},
                                                                  {ScalarType::UInt16, ScalarType::BFloat16},
                                                                  {ScalarType::UInt16, ScalarType::Float16}};
  ScaledOperand operand;
  std::string format = side.str() + "_format";
  unsigned choice = choiceArgument(lowering, arguments, format, formats);
  operand.format = types[choice];
  operand.value = tensorArgument(lowering, arguments, side);
  auto [bits, real] = storage[choice];
  ScalarType scalar = operand.value.type.element.scalar;
  if (operand.value.type.element.isPointer() || (scalar != bits && scalar != real))
    lowering.error(arguments.range(side), diagnostics::ScaledStorage, side.str(), formats[choice].str(),
                   std::string(longName(bits)), std::string(longName(real)), operand.value.type.str());
  // Bytes remain bytes, because the target may lack a type for their contents.
  if (scalar != real && bitWidth(real) > 8)
    operand.value = bitcast(lowering, operand.value, ElementType{real});
  int64_t rank = operand.value.type.rank();
  if (rank != 2 && rank != 3)
    lowering.error(arguments.range(side), diagnostics::ScaledRank, operand.value.type.str());
  operand.packsInner = booleanArgument(lowering, arguments, side.str() + "_k_pack");
  bool isPacked = operand.format == tt::ScaleDotElemType::E2M1;
  if (!operand.packsInner && !isPacked)
    lowering.error(arguments.range(side.str() + "_k_pack"), diagnostics::ScaledPacking, side.str());
  llvm::ArrayRef<int64_t> shape = operand.value.type.shape;
  operand.outer = shape[isLeft ? rank - 2 : rank - 1] * (isPacked && !operand.packsInner ? 2 : 1);
  operand.inner = shape[isLeft ? rank - 1 : rank - 2] * (isPacked && operand.packsInner ? 2 : 1);
  readScales(lowering, arguments, side.str() + "_scale", operand);
  return operand;
}

} // namespace

Value dotScaled(Lowering &lowering, CallArguments &arguments) {
  refuseInGluon(lowering, arguments);
  ScaledOperand left = scaledOperand(lowering, arguments, "lhs", true);
  ScaledOperand right = scaledOperand(lowering, arguments, "rhs", false);
  if (left.value.type.rank() != right.value.type.rank() || left.inner != right.inner)
    lowering.error(diagnostics::DotShapes, left.value.type.str(), right.value.type.str());
  if (left.group && right.group && left.group != right.group)
    lowering.error(diagnostics::ScaledGroups, left.group, right.group);
  if (dtypeArgument(lowering, arguments, "out_dtype") != ElementType{ScalarType::Float32})
    lowering.error(arguments.range("out_dtype"), diagnostics::ArgumentKind, std::string("tl.dot_scaled"),
                   std::string("out_dtype"), std::string("`tl.float32`"), arguments["out_dtype"].describe());
  llvm::SmallVector<int64_t, 4> shape(llvm::ArrayRef(left.value.type.shape).drop_back(2));
  shape.append({left.outer, right.outer});
  TensorType type(ScalarType::Float32, shape);
  Tensor acc = accumulator(lowering, arguments, type);
  return Tensor{lowering.create<tt::DotScaledOp>(acc.value.getType(), left.value.value, right.value.value, acc.value,
                                                 left.scale, right.scale, left.format, right.format,
                                                 booleanArgument(lowering, arguments, "fast_math"), left.packsInner,
                                                 right.packsInner),
                type};
}

} // namespace triton::frontend::builtin
