// What the environment variables show of passes: printed IR, numbered files, and false reports that nothing changed.
#pragma once

#include "base/Environment.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace triton::base {

/// Shared by all pipelines of one compilation, so that the numbers of the files continue.
struct PassDumpState {
  unsigned nextNumber = 0;
};

/// Whether `setting` (1, or a kernel's name) selects this kernel.
bool isSelected(llvm::StringRef setting, llvm::StringRef kernel);

/// Appends `text` to the file, or to standard error when `path` is empty.
void appendDump(llvm::StringRef path, llvm::StringRef text);

/// MLIR_ENABLE_DUMP and TRITON_PASS_DUMP_DIR.
void addPassDumps(mlir::PassManager &manager, const Environment &environment, llvm::StringRef kernel,
                  llvm::StringRef stage, PassDumpState &state);

/// TRITON_PASS_DUMP_DIR: writes what a pass or step has left to the next numbered file. `ending` is that of its form.
void writeNumberedDump(const Environment &environment, llvm::StringRef kernel, llvm::StringRef stage,
                       llvm::StringRef pass, bool changed, llvm::StringRef ending, llvm::StringRef text,
                       PassDumpState &state);

/// TRITON_CHECK_PASS_CHANGES: a pass that reports all analyses preserved must leave the IR as it was; otherwise an
/// error on the operation, which fails the pipeline. Call before adding the pipeline's passes.
void addPassChangeCheck(mlir::PassManager &manager);

} // namespace triton::base
