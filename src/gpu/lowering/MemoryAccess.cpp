#include "gpu/lowering/MemoryAccess.h"

using namespace mlir;

namespace triton::gpu {

unsigned memoryBytes(Type element) {
  return isa<LLVM::LLVMPointerType>(element) ? 8 : std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

Type memoryType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  return isa<LLVM::LLVMPointerType>(element) ? IntegerType::get(element.getContext(), 64) : element;
}

Value toMemory(Emitter &emitter, Value element) {
  Type type = memoryType(element.getType());
  if (type == element.getType())
    return element;
  if (element.getType().isInteger(1))
    return LLVM::ZExtOp::create(emitter.b, type, element);
  return LLVM::PtrToIntOp::create(emitter.b, type, element);
}

Value fromMemory(Emitter &emitter, Value value, Type element) {
  if (value.getType() == element)
    return value;
  if (element.isInteger(1)) // any byte but 0 is true
    return LLVM::ICmpOp::create(emitter.b, LLVM::ICmpPredicate::ne, value, emitter.integer(value.getType(), 0));
  return LLVM::IntToPtrOp::create(emitter.b, element, value);
}

/// `mask` for each of `count` elements.
static Value splatMask(Emitter &emitter, Value mask, unsigned count) {
  auto type = VectorType::get(count, emitter.b.getI1Type());
  Value first = LLVM::InsertElementOp::create(emitter.b, emitter.undefined(type), mask, emitter.i32(0));
  if (count == 1)
    return first;
  return LLVM::ShuffleVectorOp::create(emitter.b, first, first, SmallVector<int32_t>(count, 0));
}

/// Elements as one vector, also a single one.
static Value asVector(Emitter &emitter, ValueRange elements) {
  if (elements.size() > 1)
    return emitter.packVector(elements);
  Value empty = emitter.undefined(VectorType::get(1, elements.front().getType()));
  return LLVM::InsertElementOp::create(emitter.b, empty, elements.front(), emitter.i32(0));
}

//===--- Hints --------------------------------------------------------------------------------------------------===//

// LLVM has no access that says which caches to use: assembly of one instruction, on words of 32 bits.

/// The qualifiers of a load or store, empty when the hints say nothing that the instruction can express.
static std::string hintQualifiers(AccessHints hints, bool isStore) {
  using tt::CacheModifier, tt::EvictionPolicy;
  switch (hints.cache) {
  case CacheModifier::CG:
    return ".cg";
  case CacheModifier::CS:
    return ".cs";
  case CacheModifier::CA:
  case CacheModifier::CV:
    if (!isStore)
      return hints.cache == CacheModifier::CA ? ".ca" : ".cv";
    break;
  case CacheModifier::WB:
  case CacheModifier::WT:
    if (isStore)
      return hints.cache == CacheModifier::WB ? ".wb" : ".wt";
    break;
  case CacheModifier::None:
    break;
  }
  switch (hints.evict) {
  case EvictionPolicy::First:
    return ".L1::evict_first";
  case EvictionPolicy::Last:
    return ".L1::evict_last";
  case EvictionPolicy::Normal:
    return "";
  }
  llvm_unreachable("every policy is handled above");
}

namespace {

/// The registers of an access by assembly: words of 32 bits, or one of 16 (which also serves 8).
struct Words {
  unsigned count;
  Type type;
  std::string suffix; ///< of the instruction: its vector and type
  llvm::StringRef constraint;

  Words(Emitter &emitter, unsigned bytes) : count(bytes < 4 ? 1 : bytes / 4) {
    type = emitter.b.getIntegerType(bytes < 4 ? 16 : 32);
    constraint = bytes < 4 ? "h" : "r";
    suffix = (count == 1 ? "" : ".v" + std::to_string(count)) + ".b" + std::to_string(std::min(8 * bytes, 32u));
  }

  /// `$first, $first+1, ...`, in braces when there are several.
  std::string operands(unsigned first) const {
    std::string text = "$" + std::to_string(first);
    for (unsigned word = 1; word < count; ++word)
      text += ", $" + std::to_string(first + word);
    return count == 1 ? text : "{" + text + "}";
  }

  Registers split(Emitter &emitter, Value packed) const {
    if (packed.getType().isInteger(8))
      return {LLVM::ZExtOp::create(emitter.b, type, packed)};
    Type whole = count == 1 ? type : VectorType::get(count, type);
    return emitter.unpackVector(
        packed.getType() == whole ? packed : LLVM::BitcastOp::create(emitter.b, whole, packed).getResult());
  }

  /// As `target`, a vector or a single element of the same size.
  Value join(Emitter &emitter, ValueRange words, Type target) const {
    if (target.isInteger(8))
      return LLVM::TruncOp::create(emitter.b, target, words.front());
    Value packed = emitter.packVector(words);
    return packed.getType() == target ? packed : LLVM::BitcastOp::create(emitter.b, target, packed).getResult();
  }
};

} // namespace

static Value emitHintedLoad(Emitter &emitter, Value pointer, Type target, unsigned bytes, Value mask, Value otherwise,
                            llvm::StringRef qualifiers) {
  Words words(emitter, bytes);
  std::string text = mask ? "@$" + std::to_string(words.count + 1) + " " : "";
  text += "ld.global" + qualifiers.str() + words.suffix + " " + words.operands(0) + ", [$" +
          std::to_string(words.count) + "];";
  std::string constraints;
  for (unsigned word = 0; word < words.count; ++word)
    constraints += "=" + words.constraint.str() + ",";
  constraints += "l";
  SmallVector<Value> arguments{pointer};
  if (mask) { // the results start as what the fallback is
    constraints += ",b";
    arguments.push_back(mask);
    for (auto [word, value] : llvm::enumerate(words.split(emitter, otherwise))) {
      constraints += "," + std::to_string(word);
      arguments.push_back(value);
    }
  }
  Type result = words.count == 1
                    ? words.type
                    : LLVM::LLVMStructType::getLiteral(emitter.context(), SmallVector<Type>(words.count, words.type));
  Value loaded = emitter.assembly(text, constraints, result, arguments, /*hasSideEffects=*/true);
  return words.join(emitter, words.count == 1 ? Registers{loaded} : emitter.unpack(loaded), target);
}

static void emitHintedStore(Emitter &emitter, Value pointer, Value packed, unsigned bytes, Value mask,
                            llvm::StringRef qualifiers) {
  Words words(emitter, bytes);
  std::string text = mask ? "@$" + std::to_string(words.count + 1) + " " : "";
  text += "st.global" + qualifiers.str() + words.suffix + " [$0], " + words.operands(1) + ";";
  std::string constraints = "l";
  SmallVector<Value> arguments{pointer};
  for (Value word : words.split(emitter, packed)) {
    constraints += "," + words.constraint.str();
    arguments.push_back(word);
  }
  if (mask) {
    constraints += ",b";
    arguments.push_back(mask);
  }
  emitter.assembly(text, constraints, {}, arguments, /*hasSideEffects=*/true);
}

//===--- Accesses -----------------------------------------------------------------------------------------------===//

Registers emitLoad(Emitter &emitter, Value pointer, Type element, unsigned count, Value mask, ValueRange otherwise,
                   AccessHints hints) {
  Type type = memoryType(element);
  unsigned bytes = memoryBytes(element) * count;
  auto finish = [&](Value loaded) {
    Registers registers = emitter.unpackVector(loaded);
    for (Value &value : registers)
      value = fromMemory(emitter, value, element);
    return registers;
  };
  Type whole = count == 1 ? type : VectorType::get(count, type);
  auto plain = [&] { return finish(LLVM::LoadOp::create(emitter.b, whole, pointer, bytes, hints.isVolatile)); };
  Registers other;
  for (Value value : otherwise)
    other.push_back(toMemory(emitter, value));
  if (hints.isVolatile) {
    Registers fallback(otherwise);
    while (fallback.size() < count)
      fallback.push_back(emitter.undefined(element));
    return mask ? emitter.emitIf(mask, plain, fallback) : plain();
  }
  if (std::string qualifiers = hintQualifiers(hints, /*isStore=*/false); !qualifiers.empty()) {
    Value fallback = other.empty() ? emitter.undefined(whole) : emitter.packVector(other);
    return finish(emitHintedLoad(emitter, pointer, whole, bytes, mask, fallback, qualifiers));
  }
  if (!mask)
    return plain();
  Type vector = VectorType::get(count, type);
  Value passThrough = other.empty() ? emitter.undefined(vector) : asVector(emitter, other);
  return finish(
      LLVM::MaskedLoadOp::create(emitter.b, vector, pointer, splatMask(emitter, mask, count), passThrough, bytes));
}

void emitStore(Emitter &emitter, Value pointer, ValueRange elements, Value mask, AccessHints hints) {
  Registers stored;
  for (Value value : elements)
    stored.push_back(toMemory(emitter, value));
  unsigned bytes = memoryBytes(stored.front().getType()) * unsigned(stored.size());
  if (std::string qualifiers = hintQualifiers(hints, /*isStore=*/true); !qualifiers.empty())
    return emitHintedStore(emitter, pointer, emitter.packVector(stored), bytes, mask, qualifiers);
  if (!mask) {
    LLVM::StoreOp::create(emitter.b, emitter.packVector(stored), pointer, bytes);
    return;
  }
  LLVM::MaskedStoreOp::create(emitter.b, asVector(emitter, stored), pointer,
                              splatMask(emitter, mask, unsigned(stored.size())), bytes);
}

} // namespace triton::gpu
