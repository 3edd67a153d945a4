// What the linkers of ELF objects share.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace triton::cpu {

/// The graph of an object (ELF bytes, which live as long) without debug sections: debuggers read those in the object,
/// and relocate them themselves.
llvm::Expected<std::unique_ptr<llvm::jitlink::LinkGraph>> graphOfObject(llvm::StringRef object);

/// For each section that is loaded: the place in the object of its address, where a debugger reads it, and the address,
/// once it is assigned.
std::vector<std::pair<uint64_t, uint64_t>> sectionAddresses(llvm::StringRef object, llvm::jitlink::LinkGraph &graph);

} // namespace triton::cpu
