// Addresses that differ by constants are computed once.
#include "backends/gpu/llvm/Passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>

namespace triton::backends {
namespace {

/// A value without the constants that are added on its way: a leaf, which is any value, or an operation on others.
struct Root {
  enum Kind { Leaf, Sum, Multiple, Shifted, ZeroExtended, SignExtended, Address };
  Kind kind = Leaf;
  unsigned left = 0, right = 0; ///< roots
  llvm::Value *value = nullptr; ///< of a leaf; the factor or the distance, a constant
  llvm::Type *type = nullptr;   ///< of the result; of the elements that an address counts
  auto operator<=>(const Root &) const = default;
};

/// `root` + `offset`. Root 0 is the number 0.
struct Split {
  unsigned root = 0;
  llvm::APInt offset;
  bool isDisjoint = true; ///< no bit of the offset is one of the root's, so that nothing is carried
  bool isPlain = true;    ///< no constant was added on the way, and the value is computed as the root says
};

class FunctionAddresses {
public:
  explicit FunctionAddresses(llvm::Function &function)
      : function(function), data(function.getDataLayout()), dominators(function), roots(1) {}

  bool share() {
    llvm::ReversePostOrderTraversal<llvm::Function *> blocks(&function);
    for (llvm::BasicBlock *block : blocks)
      for (llvm::Instruction &instruction : *block)
        visit(instruction);
    bool changed = false;
    for (auto &[root, members] : shared)
      if (isWorthwhile(root, members)) {
        for (llvm::Instruction *member : members)
          replace(*member);
        changed = true;
      }
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
    return changed;
  }

private:
  //===--------------------------------------------------------------------===//
  // Splitting
  //===--------------------------------------------------------------------===//

  unsigned intern(Root root) {
    auto [position, isNew] = numbers.try_emplace(root, roots.size());
    if (isNew)
      roots.push_back(root);
    return position->second;
  }

  unsigned widthOf(llvm::Type *type) const {
    return type->isPointerTy() ? data.getIndexTypeSizeInBits(type) : type->getIntegerBitWidth();
  }

  Split leaf(llvm::Value *value) {
    return {intern({Root::Leaf, 0, 0, value, value->getType()}), llvm::APInt(widthOf(value->getType()), 0)};
  }

  Split splitOf(llvm::Value *value) {
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return {0, constant->getValue(), /*isDisjoint=*/true, /*isPlain=*/constant->isZero()};
    auto found = splits.find(value);
    return found != splits.end() ? found->second : leaf(value);
  }

  void visit(llvm::Instruction &instruction) {
    places.try_emplace(&instruction, places.size());
    llvm::Type *type = instruction.getType();
    if (!type->isIntegerTy() && !type->isPointerTy())
      return;
    std::optional<Split> split = splitInstruction(instruction);
    if (!split || split->root == 0)
      split = leaf(&instruction);
    if (split->isPlain)
      values[split->root].push_back(&instruction);
    // Others follow from these. Narrow numbers that are compared take one register each, and no address needs them.
    bool isAddress = llvm::isa<llvm::GetElementPtrInst>(instruction);
    bool isCompared = type->isIntegerTy(64) && llvm::any_of(instruction.users(), llvm::IsaPred<llvm::ICmpInst>);
    constexpr unsigned bitsOfImmediate = 24; // of what a memory instruction adds to its address
    if ((isAddress || isCompared) && split->offset.isSignedIntN(bitsOfImmediate))
      shared[split->root].push_back(&instruction);
    splits.try_emplace(&instruction, *std::move(split));
  }

  std::optional<Split> splitInstruction(llvm::Instruction &instruction) {
    switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
      return add(splitOf(instruction.getOperand(0)), splitOf(instruction.getOperand(1)), instruction.getType(),
                 /*isDisjoint=*/false);
    case llvm::Instruction::Or:
      if (!llvm::cast<llvm::PossiblyDisjointInst>(instruction).isDisjoint())
        return std::nullopt;
      return add(splitOf(instruction.getOperand(0)), splitOf(instruction.getOperand(1)), instruction.getType(),
                 /*isDisjoint=*/true);
    case llvm::Instruction::Mul:
    case llvm::Instruction::Shl:
      return scale(instruction);
    case llvm::Instruction::ZExt:
    case llvm::Instruction::SExt:
      return extend(instruction);
    case llvm::Instruction::GetElementPtr:
      return address(llvm::cast<llvm::GetElementPtrInst>(instruction));
    default:
      return std::nullopt;
    }
  }

  Split add(const Split &left, const Split &right, llvm::Type *type, bool isDisjoint) {
    unsigned root = left.root + right.root; // One of them is 0.
    if (left.root != 0 && right.root != 0)
      root = intern({Root::Sum, left.root, right.root, nullptr, type});
    return {root, left.offset + right.offset, isDisjoint && left.isDisjoint && right.isDisjoint,
            left.isPlain && right.isPlain};
  }

  std::optional<Split> scale(llvm::Instruction &instruction) {
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
    if (!constant)
      return std::nullopt;
    bool shifts = instruction.getOpcode() == llvm::Instruction::Shl;
    Split split = splitOf(instruction.getOperand(0));
    if (split.root == 0 || (shifts && constant->getValue().uge(split.offset.getBitWidth())))
      return std::nullopt;
    split.offset = shifts ? split.offset << constant->getValue() : split.offset * constant->getValue();
    split.isDisjoint &= shifts || split.offset.isZero();
    split.root = intern({shifts ? Root::Shifted : Root::Multiple, split.root, 0, constant, instruction.getType()});
    return split;
  }

  /// The sum of what is extended is what the extended parts add up to if nothing is carried.
  std::optional<Split> extend(llvm::Instruction &instruction) {
    if (!instruction.getOperand(0)->getType()->isIntegerTy())
      return std::nullopt;
    Split split = splitOf(instruction.getOperand(0));
    bool isSigned = instruction.getOpcode() == llvm::Instruction::SExt;
    if (split.root == 0 || !split.isDisjoint || (isSigned && split.offset.isNegative()))
      return std::nullopt;
    split.offset = split.offset.zext(widthOf(instruction.getType()));
    split.root =
        intern({isSigned ? Root::SignExtended : Root::ZeroExtended, split.root, 0, nullptr, instruction.getType()});
    return split;
  }

  std::optional<Split> address(llvm::GetElementPtrInst &address) {
    llvm::Value *index = address.getOperand(address.getNumOperands() - 1);
    unsigned width = data.getIndexTypeSizeInBits(address.getType());
    if (address.getNumIndices() != 1 || !index->getType()->isIntegerTy(width))
      return std::nullopt;
    Split base = splitOf(address.getPointerOperand()), moved = splitOf(index);
    llvm::TypeSize size = data.getTypeAllocSize(address.getSourceElementType());
    if (size.isScalable())
      return std::nullopt;
    llvm::APInt bytes = moved.offset * llvm::APInt(width, size.getFixedValue());
    unsigned root = base.root;
    if (moved.root != 0)
      root = intern({Root::Address, base.root, moved.root, nullptr, address.getSourceElementType()});
    return Split{root, base.offset + bytes, /*isDisjoint=*/false, base.isPlain && moved.isPlain};
  }

  //===--------------------------------------------------------------------===//
  // Sharing
  //===--------------------------------------------------------------------===//

  /// Whether members differ, and are not sums of a value and a constant already.
  bool isWorthwhile(unsigned root, llvm::ArrayRef<llvm::Instruction *> members) {
    if (roots[root].kind == Root::Leaf)
      return false;
    return llvm::any_of(members, [&](llvm::Instruction *member) {
      return splits.at(member).offset != splits.at(members.front()).offset;
    });
  }

  void replace(llvm::Instruction &member) {
    const Split &split = splits.at(&member);
    llvm::Value *root = emit(split.root, member);
    if (root == &member)
      return;
    llvm::IRBuilder<> builder(&member);
    llvm::Value *sum = root;
    if (!split.offset.isZero())
      sum = member.getType()->isPointerTy() ? builder.CreatePtrAdd(root, builder.getInt(split.offset))
                                            : builder.CreateAdd(root, builder.getInt(split.offset));
    sum->takeName(&member);
    member.replaceAllUsesWith(sum);
    unused.push_back(&member);
  }

  /// The value of a root before `user`: one that is there already, or a new one.
  llvm::Value *emit(unsigned number, llvm::Instruction &user) {
    const Root root = roots[number];
    if (root.kind == Root::Leaf)
      return root.value;
    for (llvm::WeakTrackingVH &known : values[number])
      if (auto *instruction = llvm::dyn_cast_or_null<llvm::Instruction>(known); instruction == &user)
        return instruction;
      else if (instruction && isBefore(*instruction, user)) {
        makeDefined(*instruction);
        return known;
      }
    llvm::Value *left = emit(root.left, user), *right = root.right ? emit(root.right, user) : nullptr;
    llvm::IRBuilder<> builder(&user);
    llvm::Value *value = nullptr;
    switch (root.kind) {
    case Root::Leaf:
      break;
    case Root::Sum:
      value = builder.CreateAdd(left, right);
      break;
    case Root::Multiple:
      value = builder.CreateMul(left, root.value);
      break;
    case Root::Shifted:
      value = builder.CreateShl(left, root.value);
      break;
    case Root::ZeroExtended:
      value = builder.CreateZExt(left, root.type);
      break;
    case Root::SignExtended:
      value = builder.CreateSExt(left, root.type);
      break;
    case Root::Address:
      value = builder.CreateGEP(root.type, left, right);
      break;
    }
    values[number].push_back(value);
    places.try_emplace(value, places.lookup(&user));
    return value;
  }

  /// Whether the user may use the value. Asking LLVM would number the block again after each new instruction.
  bool isBefore(const llvm::Instruction &value, const llvm::Instruction &user) const {
    if (value.getParent() == user.getParent())
      return places.lookup(&value) <= places.lookup(&user);
    return dominators.dominates(value.getParent(), user.getParent());
  }

  static bool losesNoBits(const llvm::Instruction &shift, const llvm::SimplifyQuery &query) {
    const llvm::APInt &distance = llvm::cast<llvm::ConstantInt>(shift.getOperand(1))->getValue();
    return distance.ule(llvm::computeKnownBits(shift.getOperand(0), query).countMinLeadingZeros());
  }

  /// What others use now is defined where it was poison, as when its sum leaves the type: theirs need not.
  void makeDefined(llvm::Instruction &instruction) {
    llvm::SmallVector<llvm::Instruction *> computed; // and what it is computed from
    auto add = [&](llvm::Value *value) {
      auto *found = llvm::dyn_cast<llvm::Instruction>(value);
      auto split = found ? splits.find(found) : splits.end();
      if (split != splits.end() && roots[split->second.root].value != found && defined.insert(found).second)
        computed.push_back(found);
    };
    add(&instruction);
    for (std::size_t i = 0; i < computed.size(); ++i)
      llvm::for_each(computed[i]->operands(), add);
    llvm::sort(computed, [&](auto *left, auto *right) { return places.lookup(left) < places.lookup(right); });
    for (llvm::Instruction *each : computed)
      dropFlags(*each);
  }

  void dropFlags(llvm::Instruction &instruction) {
    llvm::SimplifyQuery query(data, &dominators, /*AC=*/nullptr, &instruction);
    llvm::Value *left = instruction.getOperand(0);
    if (llvm::isa<llvm::ZExtInst>(instruction) && llvm::isKnownNonNegative(left, query))
      return;
    if (instruction.getOpcode() != llvm::Instruction::Or) {
      instruction.dropPoisonGeneratingFlags();
      if (instruction.getOpcode() ==
          llvm::Instruction::Shl) // With this, NVIDIA's products are wider than their operands.
        instruction.setHasNoUnsignedWrap(losesNoBits(instruction, query));
      return;
    }
    llvm::Value *right = instruction.getOperand(1);
    if (llvm::haveNoCommonBitsSet(left, right, query))
      return;
    llvm::Value *sum = llvm::IRBuilder<>(&instruction).CreateAdd(left, right);
    places.try_emplace(sum, places.lookup(&instruction));
    sum->takeName(&instruction);
    instruction.replaceAllUsesWith(sum);
    unused.push_back(&instruction);
  }

  llvm::Function &function;
  const llvm::DataLayout &data;
  llvm::DominatorTree dominators;
  std::vector<Root> roots;
  std::map<Root, unsigned> numbers;
  llvm::DenseMap<llvm::Value *, Split> splits;
  llvm::DenseMap<const llvm::Value *, std::size_t> places; ///< in program order; of new ones: that of what follows
  llvm::SmallPtrSet<llvm::Instruction *, 16> defined;      ///< whatever the operands, if they are
  llvm::DenseMap<unsigned, llvm::SmallVector<llvm::WeakTrackingVH>> values; ///< of roots
  llvm::MapVector<unsigned, llvm::SmallVector<llvm::Instruction *>> shared; ///< what is to be replaced, by its root
  llvm::SmallVector<llvm::WeakTrackingVH> unused;
};

} // namespace

llvm::PreservedAnalyses ShareAddressesPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  bool changed = false;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      changed |= FunctionAddresses(function).share();
  return base::preservedIf(!changed);
}

} // namespace triton::backends
