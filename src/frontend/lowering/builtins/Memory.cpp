#include "frontend/lowering/builtins/Memory.h"
#include "frontend/lowering/builtins/Functions.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::frontend::builtin {

tt::EvictionPolicy evictionPolicy(Lowering &lowering, CallArguments &arguments) {
  using tt::EvictionPolicy;
  static constexpr llvm::StringLiteral names[] = {"", "evict_normal", "evict_first", "evict_last"};
  static constexpr EvictionPolicy policies[] = {EvictionPolicy::Normal, EvictionPolicy::Normal, EvictionPolicy::First,
                                                EvictionPolicy::Last};
  return policies[choiceArgument(lowering, arguments, "eviction_policy", names)];
}

/// The name may begin with a dot. A modifier that only exists for the other direction of access is accepted without
/// effect.
tt::CacheModifier cacheModifier(Lowering &lowering, CallArguments &arguments, bool isStore, llvm::StringRef name) {
  using tt::CacheModifier;
  static constexpr llvm::StringLiteral names[] = {"",     ".ca", ".cg", ".wb", ".cs", ".wt", ".cv",
                                                  "none", "ca",  "cg",  "wb",  "cs",  "wt",  "cv"};
  static constexpr CacheModifier modifiers[] = {CacheModifier::None, CacheModifier::CA, CacheModifier::CG,
                                                CacheModifier::WB,   CacheModifier::CS, CacheModifier::WT,
                                                CacheModifier::CV};
  CacheModifier modifier = modifiers[choiceArgument(lowering, arguments, name, names) % std::size(modifiers)];
  bool isOfLoads = modifier == CacheModifier::CA || modifier == CacheModifier::CV;
  bool isOfStores = modifier == CacheModifier::WB || modifier == CacheModifier::WT;
  return (isStore ? isOfLoads : isOfStores) ? CacheModifier::None : modifier;
}

void applyCachePolicy(Lowering &lowering, CallArguments &arguments) {
  const Value &policy = arguments["cache_policy"];
  if (policy.isNone())
    return;
  auto *host = policy.as<std::shared_ptr<const HostObject>>();
  ObjectRef modifier = host ? (*host)->attribute("_modifier") : nullptr;
  if (!modifier)
    lowering.error(arguments.range("cache_policy"), diagnostics::ArgumentKind, arguments.builtin.displayName(),
                   std::string("cache_policy"), std::string("a `CachePolicy`"), policy.describe());
  for (llvm::StringRef name : {"cache_modifier", "eviction_policy"})
    if (!arguments[name].isNone())
      lowering.error(arguments.range(name), diagnostics::PolicyAlone, arguments.builtin.displayName(), name.str());
  arguments["cache_modifier"] = Value(modifier);
  arguments["eviction_policy"] = Value((*host)->attribute("_eviction"));
}

Tensor asBytes(Lowering &lowering, const Tensor &pointer) {
  ElementType bytes = pointer.type.element;
  if (bytes.pointerDepth != 1 || bytes.scalar != ScalarType::Int1)
    return pointer;
  bytes.scalar = ScalarType::Int8;
  return cast(lowering, pointer, bytes);
}

Tensor pointerArgument(Lowering &lowering, CallArguments &arguments, bool forWriting) {
  const Tensor *pointer = arguments["pointer"].tensor();
  std::string callee = arguments.builtin.displayName();
  if (!pointer || !pointer->type.element.isPointer())
    lowering.error(arguments.range("pointer"), diagnostics::NotAPointer, callee, arguments["pointer"].describe());
  requirePointee(lowering, arguments, "pointer");
  if (forWriting && pointer->type.element.isConst)
    lowering.error(arguments.range("pointer"), diagnostics::WriteToConst, callee, pointer->type.str());
  return *pointer;
}

Tensor maskArgument(Lowering &lowering, CallArguments &arguments) {
  Tensor mask = tensorArgument(lowering, arguments, "mask");
  if (mask.type.element != ElementType{ScalarType::Int1})
    lowering.error(arguments.range("mask"), diagnostics::MaskType, arguments.builtin.displayName(), mask.type.str());
  return mask;
}

/// A scalar pointer cannot take a block as its mask or value.
static void checkScalarPointer(Lowering &lowering, CallArguments &arguments, const Tensor &pointer,
                               llvm::StringRef name, const TensorType &type) {
  if (pointer.type.isScalar() && !type.isScalar())
    lowering.error(arguments.range(name), diagnostics::BlockWithScalarPointer, arguments.builtin.displayName(),
                   name.str(), type.str());
}

void bringToOneShape(Lowering &lowering, CallArguments &arguments, Tensor &pointer,
                     llvm::ArrayRef<std::pair<llvm::StringRef, Tensor *>> operands) {
  TensorType block = pointer.type;
  for (auto [name, operand] : operands) {
    checkScalarPointer(lowering, arguments, pointer, name, operand->type);
    RangeScope scope(lowering, arguments.range(name));
    block = commonType(lowering, block, operand->type);
  }
  pointer = broadcastWithRank(lowering, pointer, block);
  for (auto [name, operand] : operands)
    *operand = broadcastWithRank(lowering, *operand, block);
}

mlir::Value broadcastMask(Lowering &lowering, CallArguments &arguments, Tensor &pointer) {
  if (arguments["mask"].isNone())
    return {};
  Tensor mask = maskArgument(lowering, arguments);
  bringToOneShape(lowering, arguments, pointer, {{"mask", &mask}});
  return mask.value;
}

mlir::Value broadcastMask(Lowering &lowering, CallArguments &arguments, Tensor &pointer, llvm::StringRef name,
                          Tensor &operand) {
  if (arguments["mask"].isNone()) {
    bringToOneShape(lowering, arguments, pointer, {{name, &operand}});
    return {};
  }
  Tensor mask = maskArgument(lowering, arguments);
  bringToOneShape(lowering, arguments, pointer, {{name, &operand}, {"mask", &mask}});
  return mask.value;
}

/// Reports keywords that are only allowed with block pointers.
static void refuseBlockPointerKeywords(Lowering &lowering, CallArguments &arguments) {
  auto refuse = [&](llvm::StringRef name) {
    lowering.error(arguments.range(name), diagnostics::OnlyForBlockPointers, arguments.builtin.displayName(),
                   name.str(), arguments["pointer"].describe());
  };
  const Value &check = arguments["boundary_check"];
  if (!check.isNone() && !(check.tuple() && check.tuple()->elements.empty()))
    refuse("boundary_check");
  bool isLoad = arguments.builtin.name == "load";
  if (isLoad && !stringArgument(lowering, arguments, "padding_option").empty())
    refuse("padding_option");
}

/// What the function has beside pointers, masks and values: in Gluon a cache policy, elsewhere keywords of block
/// pointers.
static void readOtherKeywords(Lowering &lowering, CallArguments &arguments) {
  if (arguments.builtin.flags & GluonModule)
    applyCachePolicy(lowering, arguments);
  else
    refuseBlockPointerKeywords(lowering, arguments);
}

static llvm::SmallVector<int32_t, 4> boundaryCheck(Lowering &lowering, CallArguments &arguments, int64_t rank) {
  llvm::SmallVector<int32_t, 4> dimensions;
  if (arguments["boundary_check"].isNone())
    return dimensions;
  for (int64_t dimension : integersArgument(lowering, arguments, "boundary_check")) {
    if (dimension < 0 || dimension >= rank)
      lowering.error(arguments.range("boundary_check"), diagnostics::AxisOutOfRange, arguments.builtin.displayName(),
                     dimension, rank);
    if (llvm::is_contained(dimensions, dimension))
      lowering.error(arguments.range("boundary_check"), diagnostics::RepeatedAxis, arguments.builtin.displayName());
    dimensions.push_back(int32_t(dimension));
  }
  llvm::sort(dimensions);
  return dimensions;
}

/// Null where the argument is none, and in Gluon, which has none.
static const BlockPointer *blockPointerArgument(CallArguments &arguments) {
  return arguments.builtin.flags & GluonModule ? nullptr : arguments["pointer"].blockPointer();
}

static void refuseMask(Lowering &lowering, CallArguments &arguments, llvm::StringRef name) {
  if (!arguments[name].isNone())
    lowering.error(arguments.range(name), diagnostics::MaskWithBlockPointer, arguments.builtin.displayName(),
                   name.str());
}

static Value loadBlock(Lowering &lowering, CallArguments &arguments, const BlockPointer &pointer) {
  refuseMask(lowering, arguments, "mask");
  refuseMask(lowering, arguments, "other");
  llvm::SmallVector<int32_t, 4> checked = boundaryCheck(lowering, arguments, pointer.type.rank());
  static constexpr llvm::StringLiteral names[] = {"", "zero", "nan"};
  unsigned choice = choiceArgument(lowering, arguments, "padding_option", names);
  tt::PaddingOptionAttr padding;
  if (choice != 0) {
    if (checked.empty())
      lowering.error(arguments.range("padding_option"), diagnostics::PaddingWithoutCheck);
    if (choice == 2 && !isFloat(pointer.type.element.scalar))
      lowering.error(arguments.range("padding_option"), diagnostics::NanPadding, pointer.type.str());
    padding =
        tt::PaddingOptionAttr::get(&lowering.context, choice == 1 ? tt::PaddingOption::Zero : tt::PaddingOption::NaN);
  }
  TensorType type = pointer.type;
  bool isBoolean = type.element == ElementType{ScalarType::Int1};
  auto op = lowering.create<tt::LoadOp>(pointer.value, mlir::Value(), mlir::Value(), checked, padding,
                                        cacheModifier(lowering, arguments, /*isStore=*/false),
                                        evictionPolicy(lowering, arguments),
                                        booleanArgument(lowering, arguments, "volatile"));
  if (!isBoolean)
    return Tensor{op, type};
  return cast(lowering, Tensor{op, type.withElement(ElementType{ScalarType::Int8})}, type.element);
}

Value load(Lowering &lowering, CallArguments &arguments) {
  if (const BlockPointer *block = blockPointerArgument(arguments))
    return loadBlock(lowering, arguments, *block);
  if (arguments["pointer"].descriptor())
    lowering.error(arguments.range("pointer"), diagnostics::DescriptorAsPointer, arguments.builtin.displayName());
  Tensor pointer = pointerArgument(lowering, arguments, false);
  readOtherKeywords(lowering, arguments);
  ElementType element = pointer.type.element.pointee();
  if (arguments["mask"].isNone() && !arguments["other"].isNone())
    lowering.error(arguments.range("other"), diagnostics::OtherWithoutMask, arguments.builtin.displayName());

  std::optional<Tensor> mask, other;
  TensorType block = pointer.type;
  if (!arguments["mask"].isNone()) {
    mask = maskArgument(lowering, arguments);
    checkScalarPointer(lowering, arguments, pointer, "mask", mask->type);
    RangeScope scope(lowering, arguments.range("mask"));
    block = commonType(lowering, block, mask->type);
  }
  pointer = asBytes(lowering, broadcastWithRank(lowering, pointer, block));
  if (!arguments["other"].isNone()) {
    RangeScope scope(lowering, arguments.range("other"));
    other = convertTo(lowering, arguments["other"], element);
    checkScalarPointer(lowering, arguments, pointer, "other", other->type);
    block = commonType(lowering, block, other->type);
    pointer = broadcastWithRank(lowering, pointer, block);
    other = broadcastWithRank(lowering, cast(lowering, *other, pointer.type.element.pointee()), block);
  }
  if (mask)
    mask = broadcastWithRank(lowering, *mask, block);
  TensorType loaded = block.withElement(pointer.type.element.pointee());
  auto op = lowering.create<tt::LoadOp>(
      pointer.value, mask ? mask->value : mlir::Value(), other ? other->value : mlir::Value(),
      cacheModifier(lowering, arguments, /*isStore=*/false), evictionPolicy(lowering, arguments),
      booleanArgument(lowering, arguments, "volatile"));
  return cast(lowering, Tensor{op, loaded}, element);
}

static Value storeBlock(Lowering &lowering, CallArguments &arguments, const BlockPointer &pointer) {
  refuseMask(lowering, arguments, "mask");
  llvm::SmallVector<int32_t, 4> checked = boundaryCheck(lowering, arguments, pointer.type.rank());
  RangeScope scope(lowering, arguments.range("value"));
  Tensor value = convertTo(lowering, arguments["value"], pointer.type.element);
  value = broadcastWithRank(lowering, value, pointer.type);
  if (value.type.element == ElementType{ScalarType::Int1})
    value = cast(lowering, value, ElementType{ScalarType::Int8});
  RangeScope call(lowering, arguments.callRange);
  lowering.create<tt::StoreOp>(pointer.value, value.value, mlir::Value(), checked,
                               cacheModifier(lowering, arguments, /*isStore=*/true),
                               evictionPolicy(lowering, arguments));
  return Value();
}

Value store(Lowering &lowering, CallArguments &arguments) {
  if (const BlockPointer *block = blockPointerArgument(arguments))
    return storeBlock(lowering, arguments, *block);
  if (arguments["pointer"].descriptor())
    lowering.error(arguments.range("pointer"), diagnostics::DescriptorAsPointer, arguments.builtin.displayName());
  Tensor pointer = pointerArgument(lowering, arguments, true);
  readOtherKeywords(lowering, arguments);
  Tensor value;
  {
    RangeScope scope(lowering, arguments.range("value"));
    value = convertTo(lowering, arguments["value"], pointer.type.element.pointee());
  }
  mlir::Value mask = broadcastMask(lowering, arguments, pointer, "value", value);
  pointer = asBytes(lowering, pointer);
  value = cast(lowering, value, pointer.type.element.pointee());
  lowering.create<tt::StoreOp>(pointer.value, value.value, mask, cacheModifier(lowering, arguments, /*isStore=*/true),
                               evictionPolicy(lowering, arguments));
  return Value();
}

} // namespace triton::frontend::builtin
