// What the middle end asks about a GPU. A backend implements TargetInfo for the machines of its family and registers
// the family in a dialect registry. A module names its machine in the attribute `ttg.target`, in the form
// "family:architecture".
#pragma once

#include "gpu/ir/Dialect.h"
#include "gpu/target/EmitterOptions.h"

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <mutex>
#include <optional>

namespace triton::gpu {

class TargetEmitter;

/// A device of an architecture, to which predictions of times refer. The numbers are its vendor's.
struct ReferenceDevice {
  std::string name;
  unsigned multiprocessors = 0;
  double clock = 0;           ///< in Hz
  double memoryBandwidth = 0; ///< in bytes a second
};

/// The numbers of one machine. A multiprocessor is what runs the warps of one program.
struct Machine {
  std::string name;               ///< as in `ttg.target`
  std::string family;             ///< as messages to users name it
  unsigned lanes = 0;             ///< threads of a warp
  unsigned schedulers = 0;        ///< of a multiprocessor; each issues one instruction of one warp in each clock
  unsigned registers = 0;         ///< of a multiprocessor, 32 bits each
  unsigned registersOfThread = 0; ///< the most that one thread has
  unsigned accessBytes = 0;       ///< the most that a thread loads or stores at once
  std::size_t sharedBytes = 0;    ///< shared memory that one program may use
  unsigned banks = 0;             ///< of shared memory
  unsigned bankBytes = 0;         ///< that a bank moves in a clock
  /// The bits of the narrowest elements that instructions transpose when warps read shared memory; 0: they do not.
  unsigned fewestTransposedBits = 0;
  /// Whether one instruction of a warp reads or writes rows of 16 bytes of shared memory, eight to a matrix: four lanes
  /// share a row and have a word of it each, or, of 16-bit elements, eight lanes have pairs of neighbouring rows.
  bool readsMatrices = false, writesMatrices = false;
  bool shiftsLanes = false;    ///< a lane gets the word of the one any distance before or after it, in one instruction
  bool addsHalves = false;     ///< an atomic addition takes two neighbours of f16
  bool addsBFloats = false;    ///< and of bf16
  unsigned addedBytes = 0;     ///< of neighbouring floats of at most 32 bits, that one takes; 0: pairs at most
  unsigned exchangeClocks = 0; ///< a barrier, with the latency of shared memory before and after it
  // For how many clocks a warp occupies a scheduler with an instruction that is not as fast as an addition.
  unsigned conversionClocks = 0;    ///< between types, one of which is a float
  unsigned quotientClocks = 0;      ///< of floats, not rounded correctly
  unsigned functionClocks = 0;      ///< of mathematics
  unsigned exactQuotientClocks = 0; ///< of integers, or correctly rounded ones and square roots of floats
  unsigned fewestAsyncBytes = 0;    ///< that an asynchronous copy to shared memory moves at once; 0: there are none
  /// What asynchronous copies of a warp bring lies in shared memory in the order of the lanes, without gaps. Each
  /// thread waits for them by the number of those in flight.
  bool copiesInLaneOrder = false;
  /// A thread waits for its oldest loads by the number of those in flight, which is not known behind a branch.
  bool countsLoads = false;
  unsigned sectorBytes = 0; ///< of global memory, that are read or written together
  unsigned lineBytes = 0;   ///< of the first cache, which serves an access of a warp line by line
  // What the programs on a multiprocessor share.
  unsigned warpsOfMultiprocessor = 0, programsOfMultiprocessor = 0; ///< at most
  std::size_t sharedOfMultiprocessor = 0;                           ///< bytes of shared memory
  std::size_t reservedShared = 0; ///< shared memory of each program that it does not see
  unsigned sharedGranule = 1;     ///< shared memory is given in multiples of this
  unsigned registerGranule = 1;   ///< registers of a thread, too
  ReferenceDevice device;         ///< without multiprocessors where times are not predicted

  /// Whether instructions transpose elements of so many bits when warps read shared memory.
  bool readsTransposed(unsigned bits) const { return fewestTransposedBits != 0 && bits >= fewestTransposedBits; }
  /// The bytes that shared memory moves in a clock: one row of all banks.
  unsigned sharedRowBytes() const { return banks * bankBytes; }
  /// Operations on f32 in a clock, a multiplication and an addition counted as two.
  double ordinaryFlops() const { return 2.0 * schedulers * lanes; }
  /// Bytes of global memory for each clock of a multiprocessor, when all have the same share.
  double memoryBytesPerClock() const {
    return device.memoryBandwidth / (double(device.multiprocessors) * device.clock);
  }
  /// Whether an asynchronous copy moves so many bytes, a power of two, for one thread.
  bool copiesAsynchronously(uint64_t bytes) const {
    return fewestAsyncBytes != 0 && bytes >= fewestAsyncBytes && bytes <= accessBytes;
  }
};

/// The sizes of a product, and the warps of the program that computes it.
struct ProductTile {
  int64_t rows, columns, depth;
  unsigned rank, warps;
};

/// How matrix units multiply tiles of certain element types.
struct MatrixUnit {
  int64_t rows, columns, depth; ///< of the smallest product
  mlir::Type operand;           ///< to which elements of both operands are converted, exactly
  unsigned kWidth;              ///< elements along K that a thread holds side by side
  /// The depth of the smallest operands of which each thread holds so many; 0: `depth`.
  int64_t operandDepth = 0;
  unsigned resultWidth = 0;   ///< elements along a row of the result that a thread holds side by side; 0: not known
  bool keepsOperands = false; ///< operands of other types of the same width are not converted
  unsigned groupWarps = 1;    ///< neighbours along the rows that compute one product together
  /// Operand B lies in shared memory during the product, and so does A if it comes from memory.
  bool readsShared = false;
  bool needsContiguousDepth = false; ///< of operands in shared memory, elements along K lie side by side
  /// Where those of operand A do not, threads read it from its buffer and give it to the unit in registers.
  bool takesLeftFromThreads = false;
  int64_t mostColumns = 0;          ///< of an instruction; those between are powers of two. 0: `columns` alone
  llvm::StringRef instruction = {}; ///< its name
  double flops = 0;                 ///< of a multiprocessor in a clock, at most

  /// Why the unit does not compute a product of these sizes; empty where it does.
  llvm::StringRef refuses(const ProductTile &tile) const;
  /// Whether it reads an operand from shared memory, or threads hand it over from there; `isAlongDepth`: neighbours
  /// along K lie side by side.
  bool reads(bool isLeft, bool isAlongDepth) const {
    return !needsContiguousDepth || isAlongDepth || (isLeft && takesLeftFromThreads);
  }
  /// Whether it multiplies an operand that copies have brought to shared memory, as it lies there. Where threads can
  /// hand over left operands, the transposed product makes one of a right operand.
  bool readsCopied(bool isLeft, bool isAlongDepth) const {
    return !needsContiguousDepth || isAlongDepth || (!isLeft && takesLeftFromThreads);
  }
  /// Rows of the smallest product that one of the warps computes.
  int64_t rowsOfWarp() const { return rows / groupWarps; }
};

/// The types of a product and how it is computed.
struct ProductTypes {
  mlir::Type left, right, accumulator;
  tt::InputPrecision precision;
  bool isScaled = false; ///< 32 elements along K share a scale, which is a power of two
};

class TargetInfo {
public:
  explicit TargetInfo(Machine machine) : facts(std::move(machine)) {}
  virtual ~TargetInfo() = default;

  const Machine &machine() const { return facts; }

  /// The units for such products, the best first; none if ordinary units must compute them.
  virtual llvm::SmallVector<MatrixUnit> findMatrixUnits(const ProductTypes &types) const;
  /// The best of those that read operands from shared memory; none where there are none.
  std::optional<MatrixUnit> findUnitOfBuffers(const ProductTypes &types) const;
  /// Why a unit that is faster than those found does not compute such products; empty where there is none.
  virtual llvm::StringRef explainMissingUnit(const ProductTypes &types) const;
  /// The layout of accumulators of `unit` whose tiles are spread over `warps`, and of which an instruction computes so
  /// many columns.
  virtual mlir::Attribute getMatrixEncoding(mlir::MLIRContext *context, const MatrixUnit &unit,
                                            llvm::ArrayRef<unsigned> warps, int64_t columns) const;
  /// The columns of an instruction for accumulators in `encoding`, which getMatrixEncoding made.
  virtual int64_t getInstructionColumns(const MatrixUnit &unit, mlir::Attribute encoding) const;

  /// The object that writes code for this machine (gpu/lowering/TargetEmitter.h).
  virtual std::unique_ptr<TargetEmitter> createEmitter(const EmitterOptions &options) const = 0;

private:
  Machine facts;
};

/// The families of GPUs that a context knows, and the machines that were already made.
class TargetRegistry : public mlir::DialectInterface::Base<TargetRegistry> {
public:
  explicit TargetRegistry(mlir::Dialect *dialect) : Base(dialect) {}

  /// Makes the machine of this architecture; the error lists the supported ones.
  using Factory = llvm::Expected<std::unique_ptr<TargetInfo>> (*)(llvm::StringRef architecture);

  void add(llvm::StringRef family, Factory factory) const;
  /// The machine of that name, made at its first use.
  llvm::Expected<const TargetInfo &> find(llvm::StringRef name) const;

private:
  mutable std::mutex mutex; ///< Dialects are shared by the threads of a context, and constant to them.
  mutable llvm::StringMap<Factory> factories;
  mutable llvm::StringMap<std::unique_ptr<TargetInfo>> machines;
};

/// Registers a family of GPUs, a type with the static members `name` and `create` (TargetRegistry::Factory), for every
/// context with the dialect ttg.
template <typename Family> void registerTargets(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *, ttg::TritonGPUDialect *dialect) {
    if (!dialect->getRegisteredInterface<TargetRegistry>())
      dialect->addInterfaces<TargetRegistry>();
    dialect->getRegisteredInterface<TargetRegistry>()->add(Family::name, Family::create);
  });
}

/// The machine `name`; an error at `location` when no backend knows it.
const TargetInfo *findTarget(mlir::Location location, llvm::StringRef name);
/// The machine of a module with layouts. Null, with an error, when the module names none or lacks the attributes of its
/// warps, when a tensor has no layout or a placeholder of one, or when a function calls itself. Passes call it before
/// they look at anything. `resolvesPlaceholders`: the caller replaces placeholders, which are fine.
const TargetInfo *findTarget(mlir::ModuleOp module, bool resolvesPlaceholders = false);
/// The machine of the module around `op`, for code that runs after findTarget.
const TargetInfo &getTarget(mlir::Operation *op);

} // namespace triton::gpu
