#include "frontend/lowering/builtins/Functions.h"
#include "gpu/ir/Dialect.h"
#include "gpu/ir/Scales.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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
    type = elementTypeArgument(lowering, arguments, "out_dtype").scalar;
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
    {"amd.cdna4.mfma_scaled", "gfx950", 0}, // 0: not of a version
    {"amd.rdna3.wmma", "gfx11", 1},         {"amd.rdna4.wmma", "gfx120", 2}, {"amd.cdna5.wmma_scaled", "gfx125", 2},
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
  if (builtin.name == "mfma" || builtin.name == "amd.cdna4.mfma_scaled")
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

/// Units of AMD's GPUs write the kind of registers of results; the compiler chooses it.
static void checkRegisterClass(Lowering &lowering, CallArguments &arguments) {
  static constexpr llvm::StringLiteral registers[] = {"", "a", "v"};
  choiceArgument(lowering, arguments, "cd_regclass", registers);
}

static bool isOperandOf(mlir::Attribute layout, unsigned index, mlir::Attribute accumulator) {
  auto operand = mlir::dyn_cast_or_null<ttg::DotOperandEncodingAttr>(layout);
  return operand && operand.getOpIdx() == index && operand.getParent() == accumulator;
}

static void checkOperandLayout(Lowering &lowering, CallArguments &arguments, unsigned index, const Tensor &operand,
                               const Tensor &acc) {
  std::string name = index == 0 ? "a" : "b";
  if (!isOperandOf(operand.type.layout, index, acc.type.layout))
    lowering.error(arguments.range(name), diagnostics::ProductOperand, arguments.builtin.displayName(), name,
                   int64_t(index), operand.type.str(), acc.type.str());
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
  checkOperandLayout(lowering, arguments, 0, left, acc);
  checkOperandLayout(lowering, arguments, 1, right, acc);
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
  if (arguments.builtin.name == "mfma")
    checkRegisterClass(lowering, arguments);
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
  bool isOfUnit = arguments.builtin.flags & GluonModule; // whose operands have at most 8 bits, packed along K
  std::string format = side.str() + "_format";
  unsigned choice =
      choiceArgument(lowering, arguments, format, isOfUnit ? llvm::ArrayRef(formats).take_front(3) : formats);
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
  operand.packsInner = isOfUnit || booleanArgument(lowering, arguments, side.str() + "_k_pack");
  bool isPacked = operand.format == tt::ScaleDotElemType::E2M1;
  if (!operand.packsInner && !isPacked)
    lowering.error(arguments.range(side.str() + "_k_pack"), diagnostics::ScaledPacking, side.str());
  llvm::ArrayRef<int64_t> shape = operand.value.type.shape;
  operand.outer = shape[isLeft ? rank - 2 : rank - 1] * (isPacked && !operand.packsInner ? 2 : 1);
  operand.inner = shape[isLeft ? rank - 1 : rank - 2] * (isPacked && operand.packsInner ? 2 : 1);
  return operand;
}

/// The operand with its scales, of which each is for 32 or for 16 elements.
ScaledOperand operandWithScales(Lowering &lowering, CallArguments &arguments, llvm::StringRef side, bool isLeft) {
  ScaledOperand operand = scaledOperand(lowering, arguments, side, isLeft);
  readScales(lowering, arguments, side.str() + "_scale", operand);
  return operand;
}

} // namespace

Value dotScaled(Lowering &lowering, CallArguments &arguments) {
  refuseInGluon(lowering, arguments);
  ScaledOperand left = operandWithScales(lowering, arguments, "lhs", true);
  ScaledOperand right = operandWithScales(lowering, arguments, "rhs", false);
  if (left.value.type.rank() != right.value.type.rank() || left.inner != right.inner)
    lowering.error(diagnostics::DotShapes, left.value.type.str(), right.value.type.str());
  if (left.group && right.group && left.group != right.group)
    lowering.error(diagnostics::ScaledGroups, left.group, right.group);
  if (elementTypeArgument(lowering, arguments, "out_dtype") != ElementType{ScalarType::Float32})
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

/// Whether every thread has the scales that it gives to the unit. On gfx1250 that is a word of four from consecutive
/// registers, and the second half of a warp may hold those of another tile; on gfx950 one from any register.
static bool isScaleLayout(llvm::ArrayRef<int64_t> shape, mlir::Attribute layout, mlir::Attribute wanted,
                          bool takesWords) {
  if (!layout || ttg::isPlaceholder(layout))
    return false;
  layout::LinearLayout found = ttg::toLinearLayout(shape, layout), expected = ttg::toLinearLayout(shape, wanted);
  auto lanesOf = [&](const layout::LinearLayout &linear) {
    return llvm::ArrayRef(linear.findInput("lane")->bases).drop_back(takesWords ? 1 : 0);
  };
  auto wordOf = [&](const layout::LinearLayout &linear) {
    constexpr std::size_t wordBases = 2;
    llvm::ArrayRef bases(linear.findInput("register")->bases);
    return bases.take_front(takesWords ? std::min(bases.size(), wordBases) : 0);
  };
  return wordOf(found) == wordOf(expected) && lanesOf(found) == lanesOf(expected) &&
         found.findInput("warp")->bases == expected.findInput("warp")->bases;
}

constexpr int64_t scaleGroup = 32; ///< elements along K that share a scale of a unit

/// The scales of an operand in the layout of the unit: given ones, or copies of a number. Null for `None`.
static mlir::Value scalesOfUnit(Lowering &lowering, CallArguments &arguments, unsigned index,
                                const ScaledOperand &operand, mlir::Attribute accumulator) {
  std::string name = index == 0 ? "a_scale" : "b_scale", callee = arguments.builtin.displayName();
  if (arguments[name].isNone())
    return {};
  llvm::SmallVector<int64_t, 4> shape{operand.outer, operand.inner / scaleGroup};
  TensorType type(ElementType{ScalarType::UInt8}, shape, ttg::getScaleEncoding(shape, accumulator, index));
  Tensor scales = tensorArgument(lowering, arguments, name);
  bool isOfIntegers = !scales.type.element.isPointer() && isInteger(scales.type.element.scalar);
  llvm::APInt number;
  if (isOfIntegers && mlir::matchPattern(scales.value, mlir::m_ConstantInt(&number)) && number.getActiveBits() > 8)
    lowering.error(arguments.range(name), diagnostics::UnitScales, name, callee,
                   llvm::toString(number, 10, !isUnsigned(scales.type.element.scalar)), shape[0], shape[1]);
  if (scales.type.isScalar() && isOfIntegers)
    return broadcastTo(lowering, convertTo(lowering, arguments[name], type.element), type).value;
  if (!isOfIntegers || bitWidth(scales.type.element.scalar) != 8 || scales.type.shape != shape)
    lowering.error(arguments.range(name), diagnostics::UnitScales, name, callee, scales.type.str(), shape[0], shape[1]);
  if (mlir::isa_and_nonnull<ttg::AutoEncodingAttr>(scales.type.layout))
    return setAutoLayout(lowering, scales, type.layout).value;
  bool isOfMfma = mlir::isa<ttg::AmdMfmaEncodingAttr>(accumulator);
  if (!isScaleLayout(shape, scales.type.layout, type.layout, /*takesWords=*/!isOfMfma))
    lowering.error(arguments.range(name), diagnostics::UnitScaleLayout, name, callee, scales.type.str(),
                   layoutText(type.layout), std::string(isOfMfma ? "cdna4.get_mfma" : "cdna5.get_wmma"),
                   std::string(index == 0 ? "a" : "b"));
  return scales.value;
}

/// The operand in a layout over that of `acc`. gfx1250's layouts for operands of 4 bits count bytes along K, so that
/// their parent may be half as deep.
static mlir::Value operandOfUnit(Lowering &lowering, CallArguments &arguments, unsigned index,
                                 const ScaledOperand &operand, const Tensor &acc) {
  constexpr unsigned width = 16;
  Tensor value = operand.value;
  auto layout = mlir::dyn_cast_or_null<ttg::DotOperandEncodingAttr>(value.type.layout);
  auto wmma = mlir::dyn_cast_or_null<ttg::AmdWmmaEncodingAttr>(layout ? layout.getParent() : mlir::Attribute());
  if (wmma && operand.format == tt::ScaleDotElemType::E2M1 && wmma.getInstrShape()[2] == 64) {
    value.type.layout = ttg::DotOperandEncodingAttr::get(
        &lowering.context, layout.getOpIdx(), wmma.withInstruction(wmma.getVersion(), 128), layout.getKWidth());
    value.value = lowering.create<ttg::ConvertLayoutOp>(lowering.irType(value.type), value.value);
  }
  checkOperandLayout(lowering, arguments, index, value, acc);
  if (layout.getKWidth() != width)
    lowering.error(arguments.range(index == 0 ? "a" : "b"), diagnostics::GroupProduct, arguments.builtin.displayName(),
                   "operands with scales have the `k_width` 16, and this is " + value.type.str());
  return value.value;
}

/// Of the scales, each for 32 elements along K, there is at least one, and the instruction has as many elements as the
/// layout says.
static void checkDepth(Lowering &lowering, CallArguments &arguments, const ScaledOperand &left, const Tensor &acc) {
  int64_t depth = scaleGroup;
  if (auto mfma = mlir::dyn_cast<ttg::AmdMfmaEncodingAttr>(acc.type.layout); mfma && mfma.getInstrShape().size() == 3)
    depth = std::max<int64_t>(depth, mfma.getInstrShape()[2]);
  else if (auto wmma = mlir::dyn_cast<ttg::AmdWmmaEncodingAttr>(acc.type.layout))
    depth = std::max<int64_t>(depth, wmma.getInstrShape()[2]);
  if (left.inner < depth || left.inner % scaleGroup != 0)
    lowering.error(arguments.range("a"), diagnostics::GroupProduct, arguments.builtin.displayName(),
                   llvm::formatv("the instruction adds {0} products at once, and the operands have {1} elements along "
                                 "K; pad them with zeros",
                                 depth, left.inner)
                       .str());
}

Value scaledGluonProduct(Lowering &lowering, CallArguments &arguments) {
  std::string callee = arguments.builtin.displayName();
  requireVendor(lowering, arguments, amd);
  requireArchitecture(lowering, arguments, findArchitectureProduct(arguments.builtin)->architecture);
  Tensor acc = tensorArgument(lowering, arguments, "acc");
  if (!isLayoutOf(arguments.builtin, acc.type.layout))
    lowering.error(arguments.range("acc"), diagnostics::ProductLayout, callee, acc.type.str());
  ScaledOperand left = scaledOperand(lowering, arguments, "a", true),
                right = scaledOperand(lowering, arguments, "b", false);
  mlir::Value a = operandOfUnit(lowering, arguments, 0, left, acc),
              b = operandOfUnit(lowering, arguments, 1, right, acc);
  llvm::SmallVector<int64_t, 4> shape{left.outer, right.outer};
  if (left.inner != right.inner || acc.type.shape != shape)
    lowering.error(arguments.range("acc"), diagnostics::DotShapes, left.value.type.str(), right.value.type.str());
  if (acc.type.element != ElementType{ScalarType::Float32})
    lowering.error(arguments.range("acc"), diagnostics::GroupProduct, callee,
                   "its sums are float32, and `acc` is " + acc.type.str());
  checkDepth(lowering, arguments, left, acc);
  if (arguments.builtin.name == "amd.cdna4.mfma_scaled")
    checkRegisterClass(lowering, arguments);
  mlir::Value leftScale = scalesOfUnit(lowering, arguments, 0, left, acc.type.layout),
              rightScale = scalesOfUnit(lowering, arguments, 1, right, acc.type.layout);
  return Tensor{lowering.create<tt::DotScaledOp>(acc.value.getType(), a, b, acc.value, leftScale, rightScale,
                                                 left.format, right.format, /*fastMath=*/false, true, true),
                acc.type};
}

} // namespace triton::frontend::builtin
