// Turns AMD's inline assembly into instructions of a Program: each becomes the handlers of the equivalent instructions
// or intrinsics of LLVM. Operands and dispatch are in DecodeAssembly.cpp, arithmetic in AssemblyArithmetic.cpp,
// conversions and dot products in AssemblyConversions.cpp.
#pragma once

#include "simulator/amdgpu/Architecture.h"
#include "simulator/amdgpu/AssemblyText.h"
#include "simulator/core/Decoder.h"

namespace triton::simulator::amdgpu {

/// `f32`, `u16`, `b64`: the type with which the name of an instruction ends.
struct LaneType {
  char kind = 0; ///< f, u, i or b
  unsigned bytes = 0;
  std::optional<FloatFormat> format;

  bool isSigned() const { return kind == 'i'; }
};

std::optional<LaneType> parseLaneType(llvm::StringRef name);

/// The registers of an operand of the text, each with so many bytes of a lane.
struct AssemblyValue {
  Registers parts;
  unsigned partBytes = 0;
  bool isResult = false;

  unsigned bytes() const { return partBytes * unsigned(parts.size()); }
};

/// Decodes the instructions of one call. The functions return whether an instruction is known.
class AssemblyDecoder {
public:
  AssemblyDecoder(Decoder &decoder, const llvm::CallInst &call)
      : decoder(decoder), call(call), architecture(Architecture::of(decoder.kernel)) {}

  llvm::Error decode(const llvm::InlineAsm &assembly);

private:
  using Known = llvm::Expected<bool>;
  using Sources = llvm::SmallVector<RegisterOffset, 3>;

  llvm::Error bindOperands(const llvm::InlineAsm &assembly);
  Known decodeInstruction(const AssemblyInstruction &instruction);
  Known decodeScheduling(const AssemblyInstruction &instruction);
  Known decodeWaits(const AssemblyInstruction &instruction);
  Known decodeLaneExchange(const AssemblyInstruction &instruction);

  Known decodeBarrierWord(const AssemblyInstruction &instruction); ///< DecodeBarrier.cpp

  // AssemblyArithmetic.cpp
  Known decodeMove(const AssemblyInstruction &instruction);
  Known decodeCompare(const AssemblyInstruction &instruction);
  Known decodeSelection(const AssemblyInstruction &instruction);
  Known decodeArithmetic(const AssemblyInstruction &instruction);
  Known decodePacked(const AssemblyInstruction &instruction, llvm::StringRef operation, const LaneType &type);
  std::optional<RegisterOffset> compute(llvm::StringRef operation, const LaneType &type, Sources sources);
  std::optional<RegisterOffset> computeInteger(llvm::StringRef operation, const LaneType &type, const Sources &sources);
  RegisterOffset applyStep(llvm::StringRef step, const LaneType &type, Sources sources);

  // AssemblyConversions.cpp
  Known decodeConversion(const AssemblyInstruction &instruction);
  Known decodeNarrowFloats(const AssemblyInstruction &instruction, llvm::StringRef to, llvm::StringRef from);
  Known decodePackedConversion(const AssemblyInstruction &instruction, llvm::StringRef to, llvm::StringRef from);
  Known decodeDot(const AssemblyInstruction &instruction);

  /// The operand with its modifiers as a value of the type, in one register.
  llvm::Expected<RegisterOffset> source(const AssemblyInstruction &instruction, unsigned index, const LaneType &type);
  /// The operands behind the result.
  llvm::Expected<Sources> sources(const AssemblyInstruction &instruction, const LaneType &type);
  llvm::Expected<AssemblyValue> find(llvm::StringRef name) const;
  llvm::Expected<AssemblyValue> findResult(const AssemblyInstruction &instruction) const;
  /// Writes a value to the result, which has the same size, or 32 bits for a value of 16.
  llvm::Error give(const AssemblyInstruction &instruction, RegisterOffset value, unsigned bytes);
  llvm::Expected<RegisterOffset> mask(llvm::StringRef name);
  /// Pieces of so many bytes each of a register, low ones first, and back.
  Registers split(RegisterOffset value, unsigned bytes, unsigned pieceBytes);
  RegisterOffset join(llvm::ArrayRef<RegisterOffset> pieces, unsigned pieceBytes);
  void regroup(const AssemblyValue &from, const AssemblyValue &to);
  /// A null handler means that the operation does not exist for the type. It makes the whole instruction unknown.
  RegisterOffset apply(Handler handler, unsigned bytes, llvm::ArrayRef<RegisterOffset> operands);
  bool hasOnly(const AssemblyInstruction &instruction, llvm::ArrayRef<llvm::StringRef> modifiers) const;

  Decoder &decoder;
  const llvm::CallInst &call;
  Architecture architecture;
  llvm::SmallVector<AssemblyValue, 4> operands; ///< `$0`, `$1`, ...
  std::optional<RegisterOffset> condition;      ///< vcc
  bool isUnknown = false;
  bool isOfBarrier = false; ///< A comment says that words of LDS are barriers.
};

} // namespace triton::simulator::amdgpu
