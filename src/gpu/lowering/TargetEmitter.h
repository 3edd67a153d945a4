// The part of a target that writes code which LLVM IR cannot express. Operations with a portable form have it here, and
// a target overrides it if it knows a better one.
#pragma once

#include "gpu/lowering/Emitter.h"
#include "gpu/lowering/TargetCapabilities.h"

namespace triton::gpu {

/// Functions of floating-point numbers that each target computes in its own way. All are functions of the language. A
/// function that is not called precise may be an approximation.
enum class MathFunction {
  Exp,
  Exp2,
  Log,
  Log2,
  Log10,
  Log1P,
  ExpM1,
  Sqrt,
  PreciseSqrt,
  Rsqrt,
  Cbrt,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Atan2,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Erf,
  Erfc,
  Pow,
  PowI,      ///< to the power of an i32
  Round,     ///< halves away from zero
  Remainder, ///< of a division that is truncated, exact
};

/// The name that libraries derive theirs from, "exp". Roots, which are instructions, have none.
llvm::StringRef libraryName(MathFunction function);

/// A load of `type`, which is a vector or one element in the form that it has in memory, aligned as a whole.
struct LoadAccess {
  AccessPlace place;
  mlir::Type type;
  unsigned bytes;
  mlir::Value mask;          ///< null: everywhere
  mlir::ValueRange fallback; ///< the elements if the mask is false; empty: undefined
  AccessHints hints;
};

/// A store of consecutive `elements`, which are aligned as a whole.
struct StoreAccess {
  AccessPlace place;
  mlir::ValueRange elements;
  unsigned bytes;
  mlir::Value mask; ///< null: everywhere
  AccessHints hints;
};

/// The place of an assertion in the source.
struct AssertionPlace {
  std::string file, function;
  unsigned line = 0;
};

class TargetEmitter {
public:
  virtual ~TargetEmitter() = default;

  // The program and its threads.

  /// Sets a kernel's calling convention for launches, and what the launch promises.
  virtual void finishKernel(Emitter &emitter, mlir::LLVM::LLVMFuncOp kernel) const = 0;
  /// The number of the thread in its program, as i32. Consecutive ones share a warp.
  virtual mlir::Value emitThreadId(Emitter &emitter) const = 0;
  virtual mlir::Value emitProgramId(Emitter &emitter, tt::ProgramDim axis) const = 0;
  virtual mlir::Value emitProgramCount(Emitter &emitter, tt::ProgramDim axis) const = 0;
  /// Nanoseconds of a clock that all programs share, as i64.
  virtual mlir::Value emitTime(Emitter &emitter) const = 0;
  /// As i32.
  virtual mlir::Value emitMultiprocessorId(Emitter &emitter) const = 0;
  // Launches that start before the launch on which they depend has ended. If a target does not have them, these do
  // nothing.
  virtual void emitWaitForPriorLaunch(Emitter &) const {}
  virtual void emitAllowNextLaunch(Emitter &) const {}
  /// All threads of the program that compute wait for one another, and see one another's accesses of memory. With
  /// `allWarps`, also those that only move data.
  virtual void emitBarrier(Emitter &emitter, bool allWarps) const = 0;

  // Lanes of a warp. Words are i32, and all lanes take part.

  /// The word of the lane whose number differs in the bits of `mask`.
  virtual mlir::Value emitShuffleXor(Emitter &emitter, mlir::Value word, unsigned mask) const = 0;
  /// The word of lane number `lane`.
  virtual mlir::Value emitShuffleIndex(Emitter &emitter, mlir::Value word, mlir::Value lane) const = 0;
  /// The word of a lane whose number differs in bit number `bit`, and otherwise at most in the bits of `equal`: lanes
  /// that differ in these alone have the same word.
  virtual mlir::Value emitShuffleAcross(Emitter &emitter, mlir::Value word, unsigned bit, unsigned equal) const;
  /// The words of the two lanes that differ from one another in bit number `bit` alone and of which this lane is one,
  /// the lower lane's first.
  virtual std::pair<mlir::Value, mlir::Value> emitPair(Emitter &emitter, mlir::Value word, unsigned bit) const;
  /// Whether emitPair costs no more than the other lane's word.
  virtual bool swapsLanes(unsigned /*bit*/) const { return false; }
  /// The lowest number of a bit for which emitPreceding is known, and is for all higher ones; none: for no bit.
  virtual std::optional<unsigned> firstPrecedingBit() const { return std::nullopt; }
  /// In lanes whose bit number `bit` is set, the word of the last lane before those with the same bit and higher ones.
  virtual mlir::Value emitPreceding(Emitter &emitter, mlir::Value word, unsigned bit) const;
  /// The word of the lane so many before this one. Lanes that have none get any word. On machines that do not
  /// shift lanes (`shiftsLanes`), in the same row of 2^firstPrecedingBit lanes; for a distance of 1 also in another
  /// row.
  virtual mlir::Value emitEarlierLane(Emitter &emitter, mlir::Value word, int distance) const;
  /// Whether one instruction combines the values of all lanes as `combination`, an operation on two integers, does.
  virtual bool reducesWarps(mlir::Operation & /*combination*/) const { return false; }
  virtual mlir::Value emitWarpReduction(Emitter &emitter, mlir::Operation &combination, mlir::Value value) const;

  // Memory.

  virtual mlir::Value emitLoad(Emitter &emitter, const LoadAccess &access) const;
  virtual void emitStore(Emitter &emitter, const StoreAccess &access) const;
  /// Whether accesses shall have a base and an offset where these can be proved.
  virtual bool usesBuffers() const { return false; }
  /// Whether emitBufferAtomic performs the operation on elements of an LLVM type.
  virtual bool hasBufferAtomic(mlir::LLVM::AtomicBinOp, mlir::Type /*element*/) const { return false; }
  /// The old element at `place`, which has a base. Nothing happens where `mask`, which may be null, is false. The
  /// operation orders no others.
  virtual mlir::Value emitBufferAtomic(Emitter &emitter, mlir::LLVM::AtomicBinOp operation, const AccessPlace &place,
                                       mlir::Value value, mlir::Value mask) const;
  /// `value`, which is equal in all threads, in a form of which the machine's assembler knows that.
  virtual mlir::Value emitUniform(Emitter &, mlir::Value value) const { return value; }
  /// LLVM's name of the threads among which an operation is atomic.
  virtual llvm::StringRef scopeName(tt::MemSyncScope scope) const = 0;
  /// Loads all registers from shared memory by instructions of a whole warp. `offsets` maps (register, lane, warp) to
  /// elements from `base`. None if there are no instructions for elements in these places.
  virtual std::optional<Registers> emitMatrixLoad(Emitter &emitter, mlir::Value base, const LinearLayout &offsets,
                                                  mlir::Type element) const;
  /// Stores all registers in the same way; false where there are no such instructions.
  virtual bool emitMatrixStore(Emitter &emitter, mlir::Value base, const LinearLayout &offsets,
                               mlir::ValueRange registers) const;

  // What the target can do besides; null where it cannot.

  virtual const AsyncCopyEmitter *asyncCopies() const { return nullptr; }
  virtual const BulkCopyEmitter *bulkCopies() const { return nullptr; }
  virtual BufferProductEmitters bufferProducts() const { return {}; }

  // Numbers. `type` is f32 or f64.

  /// Whether two elements of the result of `op`, an operation on floating-point numbers, are best computed at once.
  virtual bool computesPairs(mlir::Operation * /*op*/) const { return false; }
  virtual mlir::Value emitMath(Emitter &emitter, MathFunction function, mlir::ValueRange operands,
                               mlir::FloatType type) const = 0;
  /// An f32 division with an error of at most two units in the last place. `hasNormalReciprocal`: the divisor is 0,
  /// infinite, or so far from both that its reciprocal is a normal number.
  virtual mlir::Value emitDivision(Emitter &emitter, mlir::Value left, mlir::Value right,
                                   bool hasNormalReciprocal) const;
  /// Factors of an f32 whose product with them, one after another, is its quotient by `divisor`, as exact as that of
  /// `emitDivision`. They are worth while for several quotients. Empty: the target has none.
  virtual Registers emitDivisor(Emitter & /*emitter*/, mlir::Value /*divisor*/) const { return {}; }
  /// The fastest f32 division. Its error may exceed two units only for divisors whose reciprocal is subnormal.
  virtual mlir::Value emitApproximateDivision(Emitter &emitter, mlir::Value left, mlir::Value right) const;
  /// The upper half of an unsigned product.
  virtual mlir::Value emitMultiplyHigh(Emitter &emitter, mlir::Value left, mlir::Value right) const;
  /// Converts to a type of LLVM with fewer bits and rounds toward zero.
  virtual mlir::Value emitTowardZero(Emitter &emitter, mlir::Value value, mlir::FloatType to) const;
  /// Whether instructions convert between the 8-bit format and wider ones.
  virtual bool convertsByteFloats(mlir::FloatType) const { return false; }
  /// Converts to a type of LLVM that represents every number of `from`, and is `to` where that costs nothing. `from`
  /// may be the integers of 8 bits, signed or unsigned: the type is `to` then, or there is no result, if it takes no
  /// fewer steps to convert them together.
  virtual Registers emitDecodeBytes(Emitter &emitter, mlir::ValueRange bytes, mlir::Type from,
                                    mlir::FloatType to) const;
  /// Converts from f16 or f32, rounding to nearest.
  virtual Registers emitEncodeBytes(Emitter &emitter, mlir::ValueRange values, mlir::FloatType to) const;

  // Matrix units.

  /// Lowers a product whose accumulator has a layout from TargetInfo::getMatrixEncoding.
  virtual mlir::LogicalResult lowerMatrixProduct(tt::DotOp op, Emitter &emitter) const;
  virtual mlir::LogicalResult lowerScaledProduct(tt::DotScaledOp op, Emitter &emitter) const;

  // Debugging.

  /// Whether kernels that print or check assertions leave messages in memory that the launch passes, because they
  /// cannot call the host (Emitter::messageBuffer).
  virtual bool leavesMessages() const { return false; }
  /// Prints `values` according to `format`, which is that of C's printf.
  virtual void emitPrint(Emitter &emitter, const std::string &format, mlir::ValueRange values) const = 0;
  /// Stops the launch with `message`.
  virtual void emitAssertFailure(Emitter &emitter, llvm::StringRef message, const AssertionPlace &place) const = 0;
};

/// Barriers in shared memory; null where there are none.
inline const SharedBarrierEmitter *sharedBarriers(const TargetEmitter &target) {
  if (const BulkCopyEmitter *copies = target.bulkCopies())
    return copies;
  const AsyncCopyEmitter *copies = target.asyncCopies();
  return copies ? copies->barriers() : nullptr;
}

} // namespace triton::gpu
