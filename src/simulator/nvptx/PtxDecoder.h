// Turns the PTX of inline assembly into instructions of a Program. Operands and dispatch are in DecodePtx.cpp,
// arithmetic in PtxArithmetic.cpp, conversions and moves in PtxConversions.cpp, products of warp groups in
// PtxWarpGroup.cpp, tensor memory in PtxTensorMemory.cpp, barriers in shared memory in DecodeMemoryBarrier.cpp, bulk
// copies in DecodeBulkCopy.cpp, other barriers in PtxSynchronization.cpp, loads, stores and atomic operations in
// PtxAccess.cpp, branches in PtxControl.cpp.
#pragma once

#include "ptx/PtxText.h"
#include "simulator/core/InnerBlocks.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/StringMap.h"

namespace triton::simulator::nvptx {

using ptx::PtxDeclaration;
using ptx::PtxInstruction;
using ptx::PtxOperand;

struct WarpGroupProduct;

struct PtxRegister {
  RegisterOffset offset = 0;
  unsigned bytes = 0; ///< 0: a predicate
};

/// `s32`, `f16x2`, `pred`: the type with which an instruction ends.
struct PtxType {
  char kind = 0;      ///< s, u, b, f, or p for predicates
  unsigned bytes = 0; ///< of one element; 0: a predicate
  bool isPacked = false;
  std::optional<FloatFormat> format;

  unsigned registerBytes() const { return isPacked ? 2 * bytes : bytes; }
};

std::optional<PtxType> parseType(llvm::StringRef name);

/// What a call passes in the register `$4`, of as many as its results and arguments have; null for another register.
const llvm::Value *argumentIn(llvm::StringRef name, const llvm::CallInst &call, std::size_t registers);

/// Copies the bits of `from`, low ones first, to `to`.
void regroup(Decoder &decoder, llvm::ArrayRef<PtxRegister> from, llvm::ArrayRef<PtxRegister> to);

/// Decodes the instructions of one call.
class PtxDecoder {
public:
  PtxDecoder(Decoder &decoder, const llvm::CallInst &call) : decoder(decoder), call(call) {}

  llvm::Error decode(const llvm::InlineAsm &assembly);

private:
  friend class TensorMemoryDecoder;
  friend class PtxControl;
  llvm::Error bindOperands(const llvm::InlineAsm &assembly);
  llvm::Error declare(const PtxDeclaration &declaration);
  llvm::Error decodeInstruction(const PtxInstruction &instruction);
  /// Decodes the instruction's own work, with `result` as its result. False if the instruction is not known.
  llvm::Expected<bool> compute(const PtxInstruction &instruction, PtxRegister result);
  llvm::Expected<bool> computeFloat(const PtxInstruction &instruction, const PtxType &type, PtxRegister result);
  llvm::Expected<bool> computeInteger(const PtxInstruction &instruction, const PtxType &type, PtxRegister result);
  llvm::Expected<bool> computeBits(const PtxInstruction &instruction, const PtxType &type, PtxRegister result);
  llvm::Expected<bool> shift(const PtxInstruction &instruction, const PtxType &type, PtxRegister result);
  llvm::Expected<bool> multiplyWide(const PtxInstruction &instruction, const PtxType &type, PtxRegister result);
  llvm::Expected<bool> computeLogic(const PtxInstruction &instruction, PtxRegister result);
  llvm::Expected<bool> compare(const PtxInstruction &instruction, const PtxType &type, PtxRegister result);
  llvm::Expected<bool> convert(const PtxInstruction &instruction, PtxRegister result);
  llvm::Expected<std::optional<PtxRegister>> conversionSource(const PtxInstruction &instruction, const PtxType &type);
  void resize(PtxRegister value, bool isSigned, const PtxType &to, PtxRegister result);
  llvm::Expected<bool> convertPacked(const PtxInstruction &instruction, PtxRegister result);
  llvm::Expected<bool> move(const PtxInstruction &instruction);
  llvm::Expected<std::optional<bool>> decodeSynchronization(const PtxInstruction &instruction);
  llvm::Expected<bool> decodeBarrier(const PtxInstruction &instruction);
  llvm::Expected<bool> decodeElection(const PtxInstruction &instruction);
  llvm::Expected<bool> decodeMatrixTransfer(const PtxInstruction &instruction);
  llvm::Expected<bool> decodeAddressOfRank(const PtxInstruction &instruction);
  llvm::Error decodeAccess(const PtxInstruction &instruction);
  llvm::Error decodeAtomic(const PtxInstruction &instruction);
  llvm::Error decodeMemoryBarrier(const PtxInstruction &instruction);
  llvm::Error decodeBulkCopy(const PtxInstruction &instruction);
  llvm::Error decodeBulkGroup(const PtxInstruction &instruction);
  llvm::Expected<RegisterOffset> guard(const PtxInstruction &instruction);
  llvm::Expected<RegisterOffset> address(const PtxOperand &operand);
  llvm::Error decodeWarpGroup(const PtxInstruction &instruction);
  llvm::Error decodeProduct(const PtxInstruction &instruction);
  std::optional<int64_t> constant(const PtxOperand &operand) const;
  llvm::Expected<std::vector<RegisterOffset>> words(const PtxInstruction &instruction, const PtxOperand &operand) const;

  llvm::Expected<PtxRegister> find(llvm::StringRef name) const;
  /// A register, or one with the number that the text gives in place of a register.
  llvm::Expected<PtxRegister> valueOf(llvm::StringRef name, const PtxType &type) const;
  llvm::Expected<RegisterOffset> source(const PtxInstruction &instruction, unsigned index, const PtxType &type) const;
  llvm::Expected<llvm::SmallVector<RegisterOffset, 3>> sources(const PtxInstruction &instruction,
                                                               const PtxType &type) const;
  /// A null handler means that the operation does not exist for the type. It makes the whole instruction unknown.
  void apply(Handler handler, RegisterOffset result, llvm::ArrayRef<RegisterOffset> operands) {
    isUnknown |= handler == nullptr;
    decoder.emit(handler, result, operands);
  }
  PtxRegister allocate(unsigned bytes) { return {decoder.allocateRegister(bytes), bytes}; }

  Decoder &decoder;
  const llvm::CallInst &call;
  llvm::SmallVector<PtxRegister, 4> operands; ///< `$0`, `$1`, ...
  llvm::StringMap<PtxRegister> registers;     ///< declared ones
  bool isUnknown = false;
  InnerBlocks *blocks = nullptr; ///< of a text with labels
};

/// Decodes what not all lanes do.
class PtxControl {
public:
  explicit PtxControl(PtxDecoder &ptx) : ptx(ptx) {}
  llvm::Error decodeText(const ptx::PtxText &text);
  /// What `decodeNext` decodes is done by the lanes for which the guard of an instruction holds.
  llvm::Error decodeGuarded(const PtxInstruction &instruction, llvm::function_ref<llvm::Error()> decodeNext);

private:
  llvm::Error decodeBranch(const PtxInstruction &instruction);

  PtxDecoder &ptx;
  llvm::StringMap<uint32_t> labels; ///< blocks that begin there
};

llvm::Error decodeTensorMemory(PtxDecoder &ptx, const PtxInstruction &instruction); ///< tcgen05

} // namespace triton::simulator::nvptx
