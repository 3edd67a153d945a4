// A made-up GPU whose warps have 64 lanes. It is the second implementation of what the middle end asks a target. Its
// instructions are calls of functions that only the tests' instruction set of the simulator knows.
#pragma once

#include "gpu/target/TargetInfo.h"
#include "simulator/core/InstructionSet.h"

namespace triton::gpu {

/// Registers the family "wide", whose only architecture is "64".
void registerWideTarget(mlir::DialectRegistry &registry);

/// The functions that the machine's code calls.
const simulator::InstructionSet &wideInstructionSet();

} // namespace triton::gpu
