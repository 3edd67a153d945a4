// Handlers of instructions that AMD's GPUs have and LLVM does not define.
#pragma once

#include "simulator/amdgpu/Architecture.h"
#include "simulator/core/Handlers.h"

#include <vector>

namespace triton::simulator::amdgpu {

/// The memory behind a kernel's arguments that describes the launch.
std::vector<std::byte> makeHiddenArguments(const LaunchConfiguration &configuration);
Handler hiddenArgumentsHandler();
/// A register of the hardware; the immediate names the register and the field of it. Null if it is not known.
Handler findHardwareRegister(unsigned number);

/// Instructions on the values of several lanes, by their names without types (LaneHandlers.cpp, DppHandlers.cpp). They
/// take an OperandList of all arguments.
Handler findLaneOperation(llvm::StringRef name);
Handler findDpp(llvm::StringRef name);

/// The addresses of an access through a buffer resource, and the lanes that access memory (BufferHandlers.cpp).
struct BufferPlaces {
  RegisterOffset addresses, lanes;
};
Handler bufferPlacesHandler();
Handler restrictedHandler(); ///< executes the instruction in `detail` in the lanes of operand 0

// Copies to LDS, each a group of its own, and reads that transpose (LdsHandlers.cpp).
Handler globalToLds();
Handler bufferToLds();
Handler transposingRead(unsigned bits); ///< of an element; null if it is not known
Handler wideTransposingRead();          ///< of 16 bytes, elements of 16 bits

// Arithmetic on one lane (MathHandlers.cpp), by the names of intrinsics; "turn.sin" and "turn.cos" take turns.
Handler findLaneMath(llvm::StringRef name, FloatFormat format);
Handler findIntegerMath(llvm::StringRef name);

} // namespace triton::simulator::amdgpu
