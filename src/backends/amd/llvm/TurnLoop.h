// Loops whose waves can take turns at matrix units, and a model of what that gains.
#pragma once

#include "backends/amd/lowering/Architecture.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace triton::amd {

inline constexpr unsigned schedulers = 4; ///< of a compute unit
inline constexpr unsigned lanes = 64;     ///< of a wave

/// A loop of one block that stores tiles to shared memory between two barriers, then reads them and multiplies.
struct TurnLoop {
  llvm::BasicBlock *before = nullptr, *body = nullptr, *behind = nullptr;
  llvm::SmallVector<llvm::Instruction *> synchronization; ///< barriers and fences
  llvm::SmallVector<llvm::StoreInst *> stores;            ///< to shared memory
  llvm::SmallVector<llvm::Instruction *> reads;           ///< of shared memory
  llvm::SmallVector<llvm::Instruction *> loads;           ///< of other memory
  llvm::SmallVector<llvm::IntrinsicInst *> products;
  llvm::SetVector<llvm::Instruction *> storing; ///< the stores and what computes their operands, in order
  /// How many products of the iteration a product adds to, and the most of them plus one.
  llvm::DenseMap<const llvm::Instruction *, unsigned> steps;
  unsigned depth = 0;

  /// Whether the value comes from the loop's own block, and not from a phi.
  bool computes(const llvm::Value *value) const {
    const auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction && instruction->getParent() == body && !llvm::isa<llvm::PHINode>(instruction);
  }
  /// The turn of a product if an iteration has so many.
  unsigned turnOf(const llvm::Instruction *product, unsigned turns) const {
    return steps.lookup(product) * turns / depth;
  }
};

/// The turn before which each read is done. All are done before the last one, in which the next tiles are stored.
llvm::DenseMap<const llvm::Instruction *, unsigned> findReadTurns(const TurnLoop &loop, unsigned turns);

bool isMatrixInstruction(const llvm::Instruction &instruction);

/// Whether the block is a loop with matrix instructions. What keeps waves from taking turns there is the reason, which
/// is empty if nothing does.
bool findTurnLoop(llvm::BasicBlock &block, TurnLoop &loop, std::string &reason);

/// What the model says of so many turns in an iteration.
struct TurnCost {
  unsigned turns = 0;
  double share = 0;       ///< of the time in which matrix units work
  unsigned registers = 0; ///< that a thread needs, about
};

/// The best number of turns for which the registers suffice; 0 turns: there is none.
TurnCost chooseTurns(const TurnLoop &loop, const Architecture &architecture);

/// The share without turns, where all waves wait at the barriers of an iteration.
double shareWithoutTurns(const TurnLoop &loop, const Architecture &architecture);

} // namespace triton::amd
