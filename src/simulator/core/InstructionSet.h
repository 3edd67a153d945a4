// What the decoder must know about a target: everything in a kernel's LLVM IR that LLVM itself does not define. The
// core does not know targets; each target implements this interface in a separate folder.
#pragma once

#include "simulator/core/AccessCounter.h"
#include "simulator/core/Synchronization.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <optional>

namespace triton::simulator {

class Decoder;

/// The memory that a pointer refers to. Shared pointers are offsets into the program's window, all others are
/// addresses.
enum class AddressSpace : uint8_t { Generic, Global, Shared, Local, Constant };

class InstructionSet {
public:
  virtual ~InstructionSet() = default;

  /// Whether the function is launched over a grid, by its calling convention.
  virtual bool isKernel(const llvm::Function &function) const = 0;
  /// The threads of a program if the kernel says how many it needs, otherwise 0.
  virtual unsigned requiredThreads(const llvm::Function &kernel) const = 0;
  /// The programs of a cluster along each axis if the kernel says so.
  virtual std::optional<std::array<uint32_t, 3>> requiredCluster(const llvm::Function &) const { return std::nullopt; }
  /// Lanes of a warp that runs this kernel, 32 or 64.
  virtual unsigned laneCount(const llvm::Function &kernel) const = 0;
  virtual SharedBanks sharedBanks(const llvm::Function &) const { return {}; }
  /// The meaning of a number of an address space in LLVM's pointer types, in which NVIDIA's and AMD's targets agree.
  virtual AddressSpace addressSpace(unsigned number) const {
    switch (number) {
    case 1:
      return AddressSpace::Global;
    case 3:
      return AddressSpace::Shared;
    case 4:
      return AddressSpace::Constant;
    case 5:
      return AddressSpace::Local;
    default:
      return AddressSpace::Generic;
    }
  }
  /// The meaning of LLVM's name of a synchronization scope.
  virtual Scope scope(llvm::StringRef) const { return Scope::System; }
  /// Whether a synchronization scope contains only threads of one warp.
  virtual bool isWithinWarp(llvm::StringRef) const { return false; }

  /// Decodes a call that only this target has: its intrinsics, which include special registers, and the functions of
  /// its run-time library. False if `callee` is not such a function.
  virtual llvm::Expected<bool> decodeCall(Decoder &decoder, const llvm::CallInst &call,
                                          llvm::StringRef callee) const = 0;
  /// Whether the call is an asynchronous matrix product, or passes on registers that such a product may still write.
  virtual bool isAsynchronousProduct(const llvm::CallInst &) const { return false; }
  virtual llvm::Error decodeAssembly(Decoder &decoder, const llvm::CallInst &call,
                                     const llvm::InlineAsm &assembly) const = 0;
};

} // namespace triton::simulator
