// Turns the LLVM IR of one kernel into a Program. The files that decode instructions (DecodeInstructions.cpp), LLVM's
// intrinsics (DecodeIntrinsics.cpp) and the constructs of a target (InstructionSet.h) share this state.
#pragma once

#include "simulator/core/Handlers.h"
#include "simulator/core/InstructionSet.h"
#include "simulator/core/NarrowOffsets.h"
#include "simulator/core/Program.h"
#include "simulator/core/TrackedValues.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"

#include <map>

namespace triton::simulator {

using Registers = llvm::SmallVector<RegisterOffset, 2>;

/// Whether the result of an instruction on integers depends on the sign of an operand.
bool readsSign(const llvm::Instruction &instruction);

class Decoder {
public:
  Decoder(const llvm::Function &kernel, Program &program, const InstructionSet &target)
      : kernel(kernel), program(program), target(target), layout(kernel.getParent()->getDataLayout()),
        tracked(kernel, target) {}

  llvm::Error decode();

  // The interface of the decoder for the decoding of one instruction.

  /// Registers of a value's scalar components; constants are materialized on first use.
  llvm::Expected<Registers> read(const llvm::Value *value);
  /// The single register of a scalar.
  llvm::Expected<RegisterOffset> readScalar(const llvm::Value *value);
  /// The registers of a call's arguments, each of which is a scalar.
  llvm::Expected<llvm::SmallVector<RegisterOffset, 4>> readArguments(const llvm::CallBase &call);
  /// New consecutive registers for a value of this type.
  Registers allocate(llvm::Type *type);
  void define(const llvm::Value *value, Registers registers) { values[value] = std::move(registers); }
  Registers defineNew(const llvm::Value *value) { return values[value] = allocate(value->getType()); }

  DecodedInstruction &emit(Handler handler, RegisterOffset result = 0, llvm::ArrayRef<RegisterOffset> operands = {});
  void emitFence(MemoryOrder order) { emit(fenceHandler()).order = order; }
  OperandList *operandList();
  RegisterOffset allocateRegister(unsigned bytes);
  RegisterOffset constantRegister(uint64_t bits, unsigned bytes);

  /// Scalar component types of a type, in order. An integer of more than 64 bits, and a pointer of more than 64 bits,
  /// which describes a piece of memory, are several integers of 64 bits.
  void flatten(llvm::Type *type, llvm::SmallVectorImpl<llvm::Type *> &components) const;
  /// Size of one lane's element of a scalar type; 0: one bit.
  unsigned elementBytes(llvm::Type *type) const;
  static std::optional<FloatFormat> floatFormat(llvm::Type *type);
  /// ".ftz" for f32 in a kernel that flushes subnormals, otherwise empty.
  llvm::StringRef flushSuffix(FloatFormat format) const;
  /// Emits one instruction for each component of an elementwise operation.
  llvm::Error decodeElementwise(const llvm::Instruction &instruction, llvm::ArrayRef<const llvm::Value *> operands,
                                Handler handler);
  /// Decodes an operation on whole operand lists, whose inputs are the registers of the arguments in order.
  llvm::Error decodeWithList(const llvm::CallInst &call, Handler handler);
  /// Of an instruction that accesses memory, at a place of its own for each set of parameters that `pointer` comes
  /// from; null: the instruction's only pointer.
  uint32_t locationOf(const llvm::Instruction &instruction, const llvm::Value *pointer = nullptr);
  /// An UnsupportedError at the current instruction: `what` follows "the simulator does not support".
  llvm::Error refuse(const llvm::Twine &what) const;
  llvm::Error unsupported(const llvm::Instruction &instruction, llvm::StringRef why = "") const;

  const llvm::Function &kernel;
  Program &program;
  const InstructionSet &target;
  const llvm::DataLayout &layout;
  const TrackedValues tracked;
  uint32_t currentBlock = 0; ///< of the program, to which what is emitted belongs

private:
  llvm::Error decodeBlock(const llvm::BasicBlock &block);
  llvm::Error decodeInstruction(const llvm::Instruction &instruction);
  llvm::Error decodeTerminator(const llvm::Instruction &instruction);
  llvm::Error emitUse(const llvm::Instruction &instruction);
  llvm::Error emitDefinition(const llvm::Instruction &instruction);
  llvm::Error decodeBinary(const llvm::Instruction &instruction);
  llvm::Error decodeCompare(const llvm::CmpInst &instruction);
  llvm::Error decodeCast(const llvm::CastInst &instruction);
  llvm::Error decodeSelect(const llvm::SelectInst &instruction);
  llvm::Error decodeAddress(const llvm::GetElementPtrInst &instruction);
  llvm::Error decodeLoad(const llvm::LoadInst &instruction);
  llvm::Error decodeStore(const llvm::StoreInst &instruction);
  llvm::Error decodeAtomic(const llvm::AtomicRMWInst &instruction);
  llvm::Error decodeCompareExchange(const llvm::AtomicCmpXchgInst &instruction);
  llvm::Error decodeAggregate(const llvm::Instruction &instruction);
  llvm::Error decodeCall(const llvm::CallInst &call);
  llvm::Error decodeIntrinsic(const llvm::CallInst &call, llvm::StringRef name);
  /// Whether values of this type are integers of two registers (DecodeWideIntegers.cpp).
  static bool isWide(const llvm::Type *type);
  llvm::Error decodeWideInteger(const llvm::Instruction &instruction);
  llvm::Expected<Registers> decodeWideCast(const llvm::CastInst &cast, const Registers &source);
  llvm::Expected<Registers> decodeWideShift(const llvm::Instruction &shift, const Registers &value);
  llvm::Expected<Registers> decodeWideBinary(const llvm::Instruction &instruction, const Registers &a,
                                             const Registers &b);
  llvm::Error decodeWithOverflow(const llvm::WithOverflowInst &call);
  llvm::Error decodeVectorReduction(const llvm::CallInst &call, llvm::StringRef operation);
  llvm::Error decodeThreeWayCompare(const llvm::CallInst &call, bool isSigned);
  llvm::Error decodeMaskedAccess(const llvm::CallInst &call, bool isStore);
  Handler findElementwiseIntrinsic(llvm::StringRef name, llvm::Type *type) const;
  /// Whether a pointer is an offset into the program's shared window.
  bool isShared(llvm::Type *pointer) const {
    return target.addressSpace(pointer->getPointerAddressSpace()) == AddressSpace::Shared;
  }

  /// What an atomic access or a fence orders.
  MemoryOrder orderOf(llvm::AtomicOrdering ordering, llvm::SyncScope::ID scope) const;
  /// What a load or a store orders. Records a strong access in the program.
  template <typename Access> MemoryOrder noteOrder(const Access &access);

  /// Whether values of this type are integers of a width that no register has.
  bool hasOddWidth(llvm::Type *type) const;
  /// Clears the bits beyond such a width that an operation left.
  void keepOddWidth(const llvm::Instruction &instruction, RegisterOffset result);
  /// Values of this type with copies of their sign in all bits beyond their width.
  Registers extendSign(llvm::Type *type, const Registers &values);
  llvm::Error emitMemoryAccess(const llvm::Instruction &instruction, llvm::Type *type, const llvm::Value *pointer,
                               const Registers &values, bool isStore, llvm::Align alignment, MemoryOrder order);

  const Edge *makeEdge(const llvm::BasicBlock *from, const llvm::BasicBlock *to);
  llvm::Error completeEdges();
  void computeReconvergence();
  llvm::Error placeGlobals();
  llvm::Expected<uint64_t> constantAddress(const llvm::Constant *constant);

  llvm::DenseMap<const llvm::Value *, Registers> values;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> blockIndex;
  std::map<std::pair<uint64_t, unsigned>, RegisterOffset> constantRegisters;
  llvm::DenseMap<const llvm::GlobalVariable *, uint64_t> globalAddresses;
  struct PendingEdge {
    uint32_t index;
    const llvm::BasicBlock *from, *to;
  };
  std::vector<PendingEdge> pendingEdges;
  std::map<std::pair<SourceLocation, std::vector<unsigned>>, uint32_t> locationIndex; ///< with the origins
  NarrowOffsets narrowOffsets;
  uint32_t currentLocation = 0;
};

/// The first of consecutive registers with these values, which renaming may have scattered.
RegisterOffset makeConsecutive(Decoder &decoder, llvm::ArrayRef<RegisterOffset> registers, unsigned bytes);

} // namespace triton::simulator
