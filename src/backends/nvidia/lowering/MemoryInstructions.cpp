// Accesses with cache hints, scopes of atomic operations, and asynchronous copies.
#include "backends/nvidia/lowering/NvidiaEmitter.h"

using namespace mlir;

namespace triton::nvidia {

//===--- Hints --------------------------------------------------------------------------------------------------===//

// LLVM has no access with cache hints, and no load with a predicate, so they are assembly of one instruction, on words
// of 32 bits.

/// The qualifiers of a load or store; empty when the hints contain nothing that the instruction can express.
static std::string hintQualifiers(gpu::AccessHints hints, bool isStore) {
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

/// The registers of an access by assembly: words of 32 bits, or one of 16 (which is also used for 8).
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

  /// The words as `target`, which is a vector or a single element of the same size.
  Value join(Emitter &emitter, ValueRange words, Type target) const {
    if (target.isInteger(8))
      return LLVM::TruncOp::create(emitter.b, target, words.front());
    Value packed = emitter.packVector(words);
    return packed.getType() == target ? packed : LLVM::BitcastOp::create(emitter.b, target, packed).getResult();
  }
};

} // namespace

static Value emitLoadByAssembly(Emitter &emitter, const gpu::LoadAccess &access, llvm::StringRef qualifiers) {
  Words words(emitter, access.bytes);
  std::string text = access.mask ? "@$" + std::to_string(words.count + 1) + " " : "";
  text += "ld.global" + qualifiers.str() + words.suffix + " " + words.operands(0) + ", [$" +
          std::to_string(words.count) + "];";
  std::string constraints;
  for (unsigned word = 0; word < words.count; ++word)
    constraints += "=" + words.constraint.str() + ",";
  constraints += "l";
  SmallVector<Value> arguments{access.place.pointer};
  if (access.mask) { // the initial values of the results are the fallback
    Value fallback = access.fallback.empty() ? emitter.undefined(access.type) : emitter.packVector(access.fallback);
    constraints += ",b";
    arguments.push_back(access.mask);
    for (auto [word, value] : llvm::enumerate(words.split(emitter, fallback))) {
      constraints += "," + std::to_string(word);
      arguments.push_back(value);
    }
  }
  Type result = words.count == 1
                    ? words.type
                    : LLVM::LLVMStructType::getLiteral(emitter.context(), SmallVector<Type>(words.count, words.type));
  Value loaded = emitter.assembly(text, constraints, result, arguments, /*hasSideEffects=*/true);
  return words.join(emitter, words.count == 1 ? Registers{loaded} : emitter.unpack(loaded), access.type);
}

static void emitStoreByAssembly(Emitter &emitter, const gpu::StoreAccess &access, llvm::StringRef qualifiers) {
  Words words(emitter, access.bytes);
  std::string text = access.mask ? "@$" + std::to_string(words.count + 1) + " " : "";
  text += "st.global" + qualifiers.str() + words.suffix + " [$0], " + words.operands(1) + ";";
  std::string constraints = "l";
  SmallVector<Value> arguments{access.place.pointer};
  for (Value word : words.split(emitter, emitter.packVector(access.elements))) {
    constraints += "," + words.constraint.str();
    arguments.push_back(word);
  }
  if (access.mask) {
    constraints += ",b";
    arguments.push_back(access.mask);
  }
  emitter.assembly(text, constraints, {}, arguments, /*hasSideEffects=*/true);
}

Value NvidiaEmitter::emitLoad(Emitter &emitter, const gpu::LoadAccess &access) const {
  std::string qualifiers = access.hints.isVolatile ? "" : hintQualifiers(access.hints, /*isStore=*/false);
  // With a branch around a masked load, LLVM moves what uses it under the branch, and each load is waited for.
  bool isPredicated = access.mask && !access.hints.prefersBranch;
  return qualifiers.empty() && !isPredicated ? TargetEmitter::emitLoad(emitter, access)
                                             : emitLoadByAssembly(emitter, access, qualifiers);
}

void NvidiaEmitter::emitStore(Emitter &emitter, const gpu::StoreAccess &access) const {
  std::string qualifiers = hintQualifiers(access.hints, /*isStore=*/true);
  // A masked store has a predicate as well, unless it prefers a branch: LLVM would move under that what is computed for
  // it alone.
  qualifiers.empty() && (!access.mask || access.hints.prefersBranch) ? TargetEmitter::emitStore(emitter, access)
                                                                     : emitStoreByAssembly(emitter, access, qualifiers);
}

//===--- Atomic operations --------------------------------------------------------------------------------------===//

llvm::StringRef NvidiaEmitter::scopeName(tt::MemSyncScope scope) const {
  switch (scope) {
  case tt::MemSyncScope::GPU:
    return "device";
  case tt::MemSyncScope::CTA:
    return "block";
  case tt::MemSyncScope::System:
    return "";
  }
  llvm_unreachable("every scope is handled above");
}

//===--- Asynchronous copies ------------------------------------------------------------------------------------===//

void AsyncCopies::emitCopy(Emitter &emitter, Value shared, const gpu::AccessPlace &global, unsigned bytes,
                           Value mask) const {
  // Only whole pieces of 16 bytes may bypass L1.
  std::string name =
      std::string("nvvm.cp.async.") + (bytes == 16 ? "cg" : "ca") + ".shared.global." + std::to_string(bytes);
  SmallVector<Value> arguments{shared, global.pointer};
  if (mask) {
    name += ".s";
    arguments.push_back(emitter.select(mask, emitter.i32(bytes), emitter.i32(0)));
  }
  emitter.intrinsic(name, {}, arguments);
}

void AsyncCopies::emitCommit(Emitter &emitter) const { emitter.intrinsic("nvvm.cp.async.commit.group", {}, {}); }

void AsyncCopies::emitWait(Emitter &emitter, unsigned groups) const {
  emitter.intrinsic("nvvm.cp.async.wait.group", {}, emitter.i32(groups));
}

} // namespace triton::nvidia
