// What the decoder must know about a target: everything in a kernel's LLVM IR that LLVM itself does not define. The
// core knows no target; each one implements this interface in a folder of its own.
#pragma once

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

/// Which memory a pointer reaches. Shared pointers are offsets into the program's window, all others are addresses.
enum class AddressSpace : uint8_t { Generic, Global, Shared, Local, Constant };

class InstructionSet {
public:
  virtual ~InstructionSet() = default;

  /// Whether the function is launched over a grid, by its calling convention.
  virtual bool isKernel(const llvm::Function &function) const = 0;
  /// The threads of a program where the kernel says how many it needs, else 0.
  virtual unsigned requiredThreads(const llvm::Function &kernel) const = 0;
  /// The programs of a cluster along each axis where the kernel says so.
  virtual std::optional<std::array<uint32_t, 3>> requiredCluster(const llvm::Function &) const { return std::nullopt; }
  /// Lanes of a warp that runs this kernel, 32 or 64.
  virtual unsigned laneCount(const llvm::Function &kernel) const = 0;
  /// What an address space of LLVM's pointer types stands for.
  virtual AddressSpace addressSpace(unsigned number) const = 0;
  /// What LLVM's name of a synchronization scope stands for.
  virtual Scope scope(llvm::StringRef) const { return Scope::Device; }

  /// Decodes a call of the target's own: its intrinsics and the functions of its run-time library. Special registers
  /// are such calls. False where `callee` is not such a function.
  virtual llvm::Expected<bool> decodeCall(Decoder &decoder, const llvm::CallInst &call,
                                          llvm::StringRef callee) const = 0;
  /// Whether the call is an asynchronous matrix product, or passes on registers that one may still write.
  virtual bool isAsynchronousProduct(const llvm::CallInst &) const { return false; }
  virtual llvm::Error decodeAssembly(Decoder &decoder, const llvm::CallInst &call,
                                     const llvm::InlineAsm &assembly) const = 0;
};

} // namespace triton::simulator
