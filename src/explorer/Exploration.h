// One compilation as the data that the explorer's page shows.
#pragma once

#include "base/CompiledKernel.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace triton::base {
struct CompilationRecord;
}

namespace triton::explorer {

/// What the page shows of a compiled kernel: its source, the IR after each pass with the kernel's lines, assembly,
/// layouts, and what `tritonc explain` knows. docs/explorer.md describes the members.
llvm::json::Object describeCompilation(const base::CompiledKernel &kernel, const base::CompilationRecord &record,
                                       const std::string &sourceText);

} // namespace triton::explorer
