// Writes the PTX of inline assembly as operations on integers and floats, for targets that are not NVIDIA's. Registers
// and moves are in PtxTranslator.cpp, arithmetic in PtxArithmetic.cpp, searches of bits in PtxBits.cpp, conversions in
// PtxConversions.cpp, accesses of memory in PtxMemory.cpp, branches and loops in PtxControl.cpp.
#pragma once

#include "ir/Dialect.h"
#include "ptx/PtxText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace triton::tt {

/// `s32`, `f16x2`, `pred`: the type with which an instruction ends.
struct PtxType {
  char kind = 0;     ///< s, u, b, f, or p for predicates
  unsigned bits = 0; ///< of one element; 1: a predicate
  bool isPacked = false;
  mlir::FloatType format; ///< null: not a float

  unsigned registerBits() const { return isPacked ? 2 * bits : bits; }
};

/// Every register is an integer value: a scalar, or a tensor with the register's contents for each element. Functions
/// that compute a value return null for what they do not know; the operations that were made until then remain.
class PtxTranslator {
public:
  /// `shape`: of the tensors, whose type of elements does not count; null for scalars.
  PtxTranslator(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType shape)
      : b(builder), loc(loc), shape(shape) {}

  /// Writes all instructions. False if one of them is not known.
  bool translate(const ptx::PtxText &text);

  mlir::Value bitcast(mlir::Value value, mlir::Type element);
  mlir::Value resize(mlir::Value value, unsigned bits, bool isSigned);
  /// One integer of several, the first in the low bits, and the other way around.
  mlir::Value combine(llvm::ArrayRef<mlir::Value> parts);
  mlir::Value cut(mlir::Value whole, unsigned offset, unsigned bits);
  mlir::Value integer(unsigned bits, uint64_t value);
  mlir::Value number(mlir::FloatType type, double value);
  template <typename Op, typename... Args> Op emit(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...);
  }
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return emit<Op>(std::forward<Args>(args)...);
  }

  llvm::SmallVector<mlir::Value, 4> operands; ///< `$0`, `$1`, ...: results first
  bool accessesMemory = true;                 ///< whether it may
  std::string unknown;                        ///< the instruction that has no translation

private:
  bool translateRange(const ptx::PtxText &text, unsigned begin, unsigned end);
  bool translateLoop(const ptx::PtxText &text, llvm::StringRef label, unsigned begin, unsigned end);
  bool branch(const ptx::PtxInstruction &instruction, mlir::Value guard);
  void arrive(llvm::StringRef label);
  mlir::Value takeArrivals(llvm::StringRef label);
  std::optional<mlir::Value> guardOf(const ptx::PtxInstruction &instruction);
  mlir::Value conjunction(mlir::Value left, mlir::Value right);
  mlir::Value negation(mlir::Value value);
  bool fail(const ptx::PtxInstruction &instruction);

  bool access(const ptx::PtxInstruction &instruction, mlir::Value guard);
  bool load(const ptx::PtxInstruction &instruction, mlir::Value guard);
  bool store(const ptx::PtxInstruction &instruction, mlir::Value guard);
  bool updateAtomically(const ptx::PtxInstruction &instruction, mlir::Value guard);
  mlir::Value exchangeIfEqual(mlir::Value place, mlir::Value expected, mlir::Value value, MemSemantic semantic,
                              MemSyncScope scope, mlir::Value guard);
  bool orderMemory(const ptx::PtxInstruction &instruction);
  mlir::Value pointer(const ptx::PtxOperand &operand, mlir::Type element, unsigned index);
  bool write(llvm::StringRef name, mlir::Value value, mlir::Value guard, bool isSigned);
  mlir::Value sourceNamed(llvm::StringRef name, const PtxType &type);

  bool declare(const ptx::PtxDeclaration &declaration);
  bool translate(const ptx::PtxInstruction &instruction);
  bool move(const ptx::PtxInstruction &instruction, mlir::Value guard);
  mlir::Value compute(const ptx::PtxInstruction &instruction);

  mlir::Value computeInteger(const ptx::PtxInstruction &instruction, const PtxType &type);
  mlir::Value multiply(const ptx::PtxInstruction &instruction, const PtxType &type);
  mlir::Value shift(const ptx::PtxInstruction &instruction, const PtxType &type);
  mlir::Value shiftPair(const ptx::PtxInstruction &instruction);
  mlir::Value permute(const ptx::PtxInstruction &instruction);
  mlir::Value reverseBits(mlir::Value value);
  mlir::Value placeOfBit(mlir::Value mask, mlir::Value number);
  mlir::Value findNthSet(const ptx::PtxInstruction &instruction);
  mlir::Value computeBits(const ptx::PtxInstruction &instruction, const PtxType &type);
  mlir::Value computeLogic(const ptx::PtxInstruction &instruction);
  mlir::Value compare(const ptx::PtxInstruction &instruction, const PtxType &type);
  mlir::Value select(const ptx::PtxInstruction &instruction, const PtxType &type);
  mlir::Value computeFloat(const ptx::PtxInstruction &instruction, const PtxType &type);
  mlir::Value applyFloat(const ptx::PtxInstruction &instruction, llvm::ArrayRef<mlir::Value> given);
  mlir::Value applyToMagnitudes(const ptx::PtxInstruction &instruction, mlir::Value x, mlir::Value y);
  mlir::Value limit(const ptx::PtxInstruction &instruction, mlir::Value x);
  mlir::Value applyFunction(const ptx::PtxInstruction &instruction, mlir::Value x);

  mlir::Value convert(const ptx::PtxInstruction &instruction, unsigned resultBits);
  mlir::Value convertPair(const ptx::PtxInstruction &instruction);
  mlir::Value convertFloat(const ptx::PtxInstruction &instruction, mlir::Value value, mlir::FloatType to);
  mlir::Value roundToWhole(const ptx::PtxInstruction &instruction, mlir::Value value);
  mlir::Value toInteger(mlir::Value value, unsigned bits, bool isSigned);
  mlir::Value toEightBits(mlir::Value value, mlir::FloatType type);

  PtxType parseType(llvm::StringRef name) const; ///< kind 0: none
  mlir::Value *find(llvm::StringRef name);
  mlir::Value source(const ptx::PtxInstruction &instruction, unsigned index, const PtxType &type);
  /// All operands after the result; none if one of them does not fit.
  llvm::SmallVector<mlir::Value, 3> sources(const ptx::PtxInstruction &instruction, const PtxType &type,
                                            unsigned count);

  mlir::Type typed(mlir::Type element) const {
    return shape ? mlir::Type(mlir::RankedTensorType::get(shape.getShape(), element)) : element;
  }
  mlir::Value constant(mlir::TypedAttr element);

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::RankedTensorType shape;
  llvm::StringMap<mlir::Value> registers; ///< declared ones
  mlir::Value active;                     ///< the elements for which instructions run; null: all
  llvm::StringMap<mlir::Value> arrivals;  ///< by label: the elements that branched to it
  llvm::StringRef currentLoop;            ///< its label
};

/// The width of an integer or float, or of a tensor's elements.
unsigned bitsOf(mlir::Value value);

} // namespace triton::tt
