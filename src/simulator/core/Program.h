// A kernel of a GPU target, decoded from LLVM IR into a form that executes a warp at a time.
//
// Every scalar component of an SSA value owns one register: an array with one element for each lane, or a lane mask for
// one-bit elements. Vectors and structs are lists of registers, so that building and taking them apart is renaming,
// done while decoding.
#pragma once

#include "simulator/core/AccessCounter.h"
#include "simulator/core/Report.h"
#include "simulator/core/Synchronization.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace triton::simulator {

/// A set of lanes of a warp, the first at the lowest bit.
using LaneMask = uint64_t;
/// Loops over lanes process this many lanes at a time, so that they become vector code. A warp has one or two such
/// groups.
constexpr unsigned laneGroup = 32;
constexpr unsigned mostLanes = 2 * laneGroup;

/// Offset of a register in the warp's register file, or, with `constantBit`, in the program's constants.
using RegisterOffset = uint32_t;
constexpr RegisterOffset constantBit = 1u << 31;
constexpr unsigned registerAlignment = 64;

/// Something that the simulator does not know, with its place in the kernel's source.
class UnsupportedError : public llvm::ErrorInfo<UnsupportedError> {
public:
  static char ID;
  UnsupportedError(SourceLocation location, std::string what) : location(std::move(location)), what(std::move(what)) {}
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  SourceLocation location;
  std::string what; ///< follows "the simulator does not support"
};

class InstructionSet;
class Warp;
struct LaunchConfiguration;
struct DecodedInstruction;
using Handler = void (*)(Warp &, const DecodedInstruction &);

/// One decoded instruction: a handler and its operands. Handlers are instantiated for each element type, so that they
/// contain nothing but the loop over lanes.
struct DecodedInstruction {
  Handler execute = nullptr;
  RegisterOffset result = 0;
  RegisterOffset operands[3] = {};
  uint32_t location = 0;        ///< index into Program::locations
  MemoryOrder order;            ///< of accesses and fences
  int64_t immediate = 0;        ///< meaning depends on the handler
  const void *detail = nullptr; ///< of instructions with more operands; owned by the program
};

struct Copy {
  RegisterOffset to, from;
  uint8_t elementBytes; ///< of one lane; 0: the registers are lane masks
};

/// A control-flow edge: the target and what its phis receive.
struct Edge {
  uint32_t block = 0;
  std::vector<Copy> copies;     ///< to the phis' staging registers
  std::vector<Copy> completion; ///< from staging to the phis, if one phi is the input of another
  /// Pairs of a phi that asynchronous products write or read, and what it receives.
  std::vector<std::pair<RegisterOffset, RegisterOffset>> tracked;
};

constexpr uint32_t noBlock = ~0u;

struct Block {
  uint32_t firstInstruction = 0;
  uint32_t reconvergence = noBlock; ///< immediate post-dominator
};

/// Operands of instructions that have many of them.
struct OperandList {
  std::vector<RegisterOffset> inputs, outputs;
  std::vector<uint8_t> inputBytes, outputBytes; ///< of one lane's element
};

struct KernelParameter {
  RegisterOffset value;
  uint8_t bytes;
  std::size_t structBytes = 0; ///< of a struct that is passed by value: the register contains its address
};

/// An integer of 32 bits from which an address is computed, and what it is computed from.
struct NarrowInteger {
  enum class Kind : uint8_t { Given, Sum, Difference, Product, Shifted };
  Kind kind = Kind::Given;
  RegisterOffset value = 0;
  uint32_t operands[2] = {}; ///< indices into Program::narrowIntegers; of all kinds but Given
  uint32_t location = 0;
};

/// A kernel that is ready to run, with everything that it refers to.
class Program {
public:
  /// Decodes `kernelName` (or the module's only kernel). Calls are inlined first. Anything that the simulator does not
  /// know is an UnsupportedError.
  static llvm::Expected<std::unique_ptr<Program>> decode(const llvm::Module &module, llvm::StringRef kernelName,
                                                         const InstructionSet &target);

  LaneMask allLanes() const { return ~LaneMask(0) >> (mostLanes - laneCount); }
  /// The size of a register whose elements have this many bytes; 0 stands for one-bit elements.
  std::size_t registerSize(unsigned elementBytes) const {
    std::size_t size = elementBytes == 0 ? sizeof(LaneMask) : elementBytes * laneCount;
    return (size + registerAlignment - 1) / registerAlignment * registerAlignment;
  }

  std::string name;
  unsigned laneCount = laneGroup; ///< of a warp: 32 or 64
  SharedBanks banks;
  std::vector<DecodedInstruction> instructions;
  std::vector<Block> blocks;
  std::vector<SourceLocation> locations;
  /// By location: the parameters from which the addresses of the accesses there come. Empty: they may be any.
  std::vector<std::vector<unsigned>> origins;
  std::vector<NarrowInteger> narrowIntegers;
  /// By instructions that access memory: the narrow integers that are added to their addresses.
  std::map<uint32_t, std::vector<uint32_t>> narrowOffsets;
  std::vector<std::byte> constants; ///< registers that never change
  std::vector<KernelParameter> parameters;
  std::size_t registerBytes = 0;     ///< size of a warp's register file
  std::size_t staticSharedBytes = 0; ///< without the dynamic part
  std::size_t localBytes = 0;        ///< per lane
  bool hasStrongAccesses = false;    ///< of global memory; programs then run one after another, to stay deterministic
  bool hasPartialBarriers = false;   ///< where some warps of a program meet without the others
  unsigned requiredThreads = 0;      ///< of a program; 0: any number
  std::optional<std::array<uint32_t, 3>> requiredCluster; ///< programs of a cluster along each axis

  /// Makes the memory that a launch gives to the kernel besides its parameters; null if it gives none.
  std::vector<std::byte> (*hiddenArguments)(const LaunchConfiguration &) = nullptr;

  /// Storage of constant globals to which instructions point.
  std::vector<std::unique_ptr<std::byte[]>> globals;
  std::vector<std::pair<uintptr_t, std::size_t>> globalRanges; ///< readable constant data
  std::vector<std::unique_ptr<OperandList>> operandLists;
  std::vector<std::unique_ptr<Edge>> edges;
  std::vector<std::shared_ptr<const void>> details; ///< other data that instructions point at
  std::vector<std::unique_ptr<std::string>> strings;
};

} // namespace triton::simulator
