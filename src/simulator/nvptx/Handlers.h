// Finds the handlers of instructions that only NVIDIA has. A null result means that the simulator does not know the
// combination. The `detail` of all of them is an OperandList, unless their comment says otherwise.
#pragma once

#include "simulator/core/Handlers.h"

namespace triton::simulator::nvptx {

constexpr unsigned warpSize = 32;

/// prmt and its modes: "prmt", "prmt.f4e", ... on operands, without `detail` (PermuteHandlers.cpp).
Handler findPermute(llvm::StringRef name);
/// "mad.wide.u32", "mad.wide.u64", "add.u128", "sub.u128" on words, the low one first (WideHandlers.cpp).
Handler findWideArithmetic(llvm::StringRef name);

/// Functions of one, two or three floats by the core's names, and those that only NVIDIA has, such as "div.full" and
/// "minnum.xorsign"; on operands, without `detail` (FloatHandlers.cpp).
Handler findFloatOperation(llvm::StringRef name, FloatFormat format);
/// The NVVM conversions to and between narrow formats, by their names after `llvm.nvvm.`: "f2tf32.rna",
/// "ff2f16x2.rn.relu", "ff.to.e4m3x2.rn", "e4m3x2.to.f16x2.rn", ... `flags` receives the immediate
/// (NarrowConversions.cpp).
Handler findConversion(llvm::StringRef name, int64_t &flags);

/// Shuffles, votes and similar operations, with the operands in the order of the intrinsic's arguments
/// (WarpHandlers.cpp).
Handler findWarpOperation(llvm::StringRef name);
Handler findSpecialRegister(llvm::StringRef name); ///< without `detail`

// Matrix operations (MatrixHandlers.cpp). Operands: registers of A, B and C; outputs D.
Handler findMatrixMultiply(llvm::StringRef name);
Handler findMatrixLoad(llvm::StringRef name);
Handler findMatrixStore(llvm::StringRef name); ///< inputs: the address, then the registers
/// The host address of a place in shared memory (Warp::findSharedPlace); on operands, without `detail`.
Handler hostAddressHandler();

/// A function of libdevice that was not linked, computed by the host (LibdeviceFunctions.cpp).
struct LibdeviceFunction {
  Handler handler; ///< its `detail` is an OperandList
  unsigned resultBytes;
  llvm::SmallVector<unsigned, 4> operandBytes;
};
/// The function `__nv_<name>`, or null.
const LibdeviceFunction *findLibdeviceFunction(llvm::StringRef name);

// Functions of the device's run-time library (RuntimeHandlers.cpp).
Handler printHandler();      ///< operands: the addresses of the format and of the arguments
Handler assertFailHandler(); ///< operands: message, file, line, function, character size

} // namespace triton::simulator::nvptx
