#include "backends/nvidia/llvm/Passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

namespace triton::nvidia {

namespace {

using llvm::Instruction;
using llvm::IntrinsicInst;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

constexpr unsigned wordBits = 32;

/// What the bits of a word above those of the narrow integer must be.
enum class Upper { Any, Sign, Zero };

/// LLVM itself promotes wider ones to 32 bits.
bool isNarrow(const llvm::Type *type) {
  unsigned bits = type->getScalarType()->isIntegerTy() ? type->getScalarSizeInBits() : 0;
  return bits > 1 && bits <= 16;
}

unsigned laneCount(const llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

/// Widens one function. It visits instructions after those whose results they use, except phis, which take narrow
/// values.
class Widening {
public:
  explicit Widening(llvm::Function &function)
      : function(function), builder(function.getContext()), word(builder.getInt32Ty()) {}

  void run() {
    llvm::ReversePostOrderTraversal<llvm::Function *> blocks(&function);
    for (llvm::BasicBlock *block : blocks)
      for (Instruction &instruction : *block) {
        builder.SetInsertPoint(&instruction);
        widen(instruction);
      }
    for (Instruction *instruction : llvm::reverse(replaced)) {
      builder.SetInsertPoint(instruction);
      if (!instruction->use_empty())
        instruction->replaceAllUsesWith(joinLanes(instruction));
      instruction->eraseFromParent();
    }
  }

private:
  using Lanes = llvm::SmallVector<Value *, 2>;

  void widen(Instruction &instruction) {
    llvm::Type *type = instruction.getType();
    if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
      // Operations that only combine bits are correct in any width.
      if (isNarrow(type) && (!binary->isBitwiseLogicOp() || readsWords(*binary)))
        replaceLanes(instruction, [&](unsigned lane) { return emitBinary(*binary, lane); });
    } else if (auto *call = llvm::dyn_cast<IntrinsicInst>(&instruction)) {
      if (isNarrow(type))
        replaceLanes(instruction, [&](unsigned lane) { return emitIntrinsic(*call, lane); });
    } else if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) {
      if (isNarrow(choice->getCondition()->getType()))
        widenSwitch(*choice);
    } else if (readsWords(instruction)) {
      widenUser(instruction);
    }
  }

  bool readsWords(const Instruction &instruction) const {
    return llvm::any_of(instruction.operands(), [&](const llvm::Use &operand) {
      return isNarrow(operand->getType()) && lanes.contains(operand);
    });
  }

  /// Records the replacements of the lanes of `instruction`: words for narrow integers, whose upper bits have no
  /// meaning, otherwise values of its element type. Leaves the instruction unchanged when `emit` returns none.
  void replaceLanes(Instruction &instruction, llvm::function_ref<Value *(unsigned)> emit) {
    Lanes values;
    for (unsigned lane = 0; lane < laneCount(instruction.getType()); ++lane)
      if (Value *value = emit(lane))
        values.push_back(value);
      else
        return;
    lanes[&instruction] = std::move(values);
    replaced.push_back(&instruction);
  }

  Value *elementOf(Value *value, unsigned lane) {
    return value->getType()->isVectorTy() ? builder.CreateExtractElement(value, lane) : value;
  }

  /// A lane of a narrow `value` as a word.
  Value *wordOf(Value *value, unsigned lane, Upper upper) {
    if (auto known = lanes.find(value); known != lanes.end())
      return extend(known->second[lane], value->getType()->getScalarSizeInBits(), upper);
    Value *element = elementOf(value, lane);
    return upper == Upper::Sign ? builder.CreateSExt(element, word) : builder.CreateZExt(element, word);
  }

  Value *extend(Value *value, unsigned bits, Upper upper) {
    if (upper == Upper::Zero)
      return builder.CreateAnd(value, llvm::maskTrailingOnes<uint32_t>(bits));
    if (upper == Upper::Sign)
      return builder.CreateAShr(builder.CreateShl(value, wordBits - bits), wordBits - bits);
    return value;
  }

  Value *emitBinary(const llvm::BinaryOperator &binary, unsigned lane) {
    Upper left = Upper::Any, right = Upper::Any;
    switch (binary.getOpcode()) {
    case Instruction::SDiv:
    case Instruction::SRem:
      left = right = Upper::Sign;
      break;
    case Instruction::UDiv:
    case Instruction::URem:
    case Instruction::LShr:
      left = right = Upper::Zero;
      break;
    case Instruction::AShr:
      left = Upper::Sign;
      right = Upper::Zero;
      break;
    case Instruction::Shl:
      right = Upper::Zero;
      break;
    default:
      break;
    }
    return builder.CreateBinOp(binary.getOpcode(), wordOf(binary.getOperand(0), lane, left),
                               wordOf(binary.getOperand(1), lane, right));
  }

  /// Null for an intrinsic that LLVM itself computes in 32 bits, because it counts or permutes bits.
  Value *emitIntrinsic(const IntrinsicInst &call, unsigned lane) {
    Intrinsic::ID intrinsic = call.getIntrinsicID();
    auto operand = [&](unsigned index, Upper upper) { return wordOf(call.getArgOperand(index), lane, upper); };
    auto binary = [&](Upper upper) {
      return builder.CreateBinaryIntrinsic(intrinsic, operand(0, upper), operand(1, upper));
    };
    unsigned bits = call.getType()->getScalarSizeInBits();
    switch (intrinsic) {
    case Intrinsic::abs:
      return builder.CreateBinaryIntrinsic(Intrinsic::abs, operand(0, Upper::Sign), builder.getFalse());
    case Intrinsic::smin:
    case Intrinsic::smax:
      return binary(Upper::Sign);
    case Intrinsic::umin:
    case Intrinsic::umax:
      return binary(Upper::Zero);
    case Intrinsic::usub_sat: {
      Value *right = operand(1, Upper::Zero);
      return builder.CreateSub(builder.CreateBinaryIntrinsic(Intrinsic::umax, operand(0, Upper::Zero), right), right);
    }
    case Intrinsic::uadd_sat:
      return emitClamp(builder.CreateAdd(operand(0, Upper::Zero), operand(1, Upper::Zero)), 0, llvm::maxUIntN(bits));
    case Intrinsic::sadd_sat:
      return emitClamp(builder.CreateAdd(operand(0, Upper::Sign), operand(1, Upper::Sign)), llvm::minIntN(bits),
                       llvm::maxIntN(bits));
    case Intrinsic::ssub_sat:
      return emitClamp(builder.CreateSub(operand(0, Upper::Sign), operand(1, Upper::Sign)), llvm::minIntN(bits),
                       llvm::maxIntN(bits));
    case Intrinsic::scmp:
    case Intrinsic::ucmp:
      return emitComparison(call, lane);
    case Intrinsic::fshl:
    case Intrinsic::fshr: {
      Value *both = builder.CreateOr(builder.CreateShl(operand(0, Upper::Zero), bits), operand(1, Upper::Zero));
      Value *amount = builder.CreateURem(operand(2, Upper::Zero), builder.getInt32(bits));
      return intrinsic == Intrinsic::fshr ? builder.CreateLShr(both, amount)
                                          : builder.CreateLShr(builder.CreateShl(both, amount), bits);
    }
    default:
      return nullptr;
    }
  }

  Value *emitClamp(Value *value, int64_t least, int64_t most) {
    Value *atLeast = builder.CreateBinaryIntrinsic(Intrinsic::smax, value, builder.getInt32(uint32_t(least)));
    return builder.CreateBinaryIntrinsic(Intrinsic::smin, atLeast, builder.getInt32(uint32_t(most)));
  }

  /// -1, 0 or 1 in a narrow type, for operands of any type.
  Value *emitComparison(const IntrinsicInst &call, unsigned lane) {
    bool isSigned = call.getIntrinsicID() == Intrinsic::scmp;
    auto operand = [&](unsigned index) {
      Value *value = call.getArgOperand(index);
      return isNarrow(value->getType()) ? wordOf(value, lane, isSigned ? Upper::Sign : Upper::Zero)
                                        : elementOf(value, lane);
    };
    Value *left = operand(0), *right = operand(1);
    Value *isGreater = isSigned ? builder.CreateICmpSGT(left, right) : builder.CreateICmpUGT(left, right);
    Value *isLess = isSigned ? builder.CreateICmpSLT(left, right) : builder.CreateICmpULT(left, right);
    return builder.CreateSub(builder.CreateZExt(isGreater, word), builder.CreateZExt(isLess, word));
  }

  /// Widens an instruction that reads words and is not itself narrow arithmetic.
  void widenUser(Instruction &user) {
    Value *operand = user.getOperand(0);
    if (auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(&user)) {
      Upper upper = comparison->isSigned() ? Upper::Sign : Upper::Zero;
      replaceLanes(user, [&](unsigned lane) {
        return builder.CreateICmp(comparison->getPredicate(), wordOf(operand, lane, upper),
                                  wordOf(user.getOperand(1), lane, upper));
      });
    } else if (llvm::isa<llvm::SExtInst, llvm::ZExtInst>(user)) {
      bool isSigned = llvm::isa<llvm::SExtInst>(user);
      llvm::Type *type = isNarrow(user.getType()) ? word : user.getType()->getScalarType();
      replaceLanes(user, [&](unsigned lane) {
        return builder.CreateIntCast(wordOf(operand, lane, isSigned ? Upper::Sign : Upper::Zero), type, isSigned);
      });
    } else if (llvm::isa<llvm::TruncInst>(user) && isNarrow(user.getType())) {
      replaceLanes(user, [&](unsigned lane) { return wordOf(operand, lane, Upper::Any); });
    } else if (auto *extraction = llvm::dyn_cast<llvm::ExtractElementInst>(&user)) {
      if (auto *index = llvm::dyn_cast<llvm::ConstantInt>(extraction->getIndexOperand()))
        replaceLanes(user, [&](unsigned) { return wordOf(operand, unsigned(index->getZExtValue()), Upper::Any); });
    }
  }

  /// LLVM would subtract the lowest case from the condition.
  void widenSwitch(llvm::SwitchInst &choice) {
    llvm::SwitchInst *wide = builder.CreateSwitch(wordOf(choice.getCondition(), 0, Upper::Zero),
                                                  choice.getDefaultDest(), choice.getNumCases());
    for (const auto &option : choice.cases())
      wide->addCase(builder.getInt32(uint32_t(option.getCaseValue()->getZExtValue())), option.getCaseSuccessor());
    replaced.push_back(&choice);
  }

  /// The value for instructions that were not widened.
  Value *joinLanes(Instruction *instruction) {
    llvm::Type *type = instruction->getType();
    Lanes values = lanes.lookup(instruction);
    if (isNarrow(type))
      llvm::transform(values, values.begin(), [&](Value *value) { return truncate(value, type->getScalarType()); });
    if (!type->isVectorTy())
      return values.front();
    Value *vector = llvm::PoisonValue::get(type);
    for (auto [lane, value] : llvm::enumerate(values))
      vector = builder.CreateInsertElement(vector, value, lane);
    return vector;
  }

  /// The low bits of a word. LLVM would compute in the narrow type what it sees truncated, but it does not look into
  /// assembly.
  Value *truncate(Value *value, llvm::Type *type) {
    if (llvm::isa<llvm::Constant>(value))
      return builder.CreateTrunc(value, type);
    auto *signature = llvm::FunctionType::get(builder.getInt16Ty(), {word}, false);
    auto *assembly = llvm::InlineAsm::get(signature, "cvt.u16.u32 $0, $1;", "=h,r", /*hasSideEffects=*/false);
    return builder.CreateTrunc(builder.CreateCall(assembly, value), type);
  }

  llvm::Function &function;
  llvm::IRBuilder<> builder;
  llvm::Type *word;
  llvm::DenseMap<Value *, Lanes> lanes;
  llvm::SmallVector<Instruction *> replaced; ///< those with an entry in `lanes`, and switches
};

} // namespace

llvm::PreservedAnalyses WidenNarrowIntegersPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      Widening(function).run();
  return llvm::PreservedAnalyses::none();
}

} // namespace triton::nvidia
