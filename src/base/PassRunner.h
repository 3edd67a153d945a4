// All passes run through this interface. It adds to each pipeline what passes share (verification, timing, dumps,
// bisection, crash notes), so that no pass prints, times or reads the environment itself.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace triton::base {

/// A diagnostic of a pass or an error of a stage that starts with these words is the user's: the program is correct but
/// uses something that the target lacks. All others are defects of the compiler. Example: "not supported on cpu yet:
/// `tt.histogram`".
inline constexpr llvm::StringLiteral unsupportedPrefix = "not supported on ";

/// Builds with assertions verify the IR after each pass. Other builds verify it after each pipeline, because verifying
/// takes as long as the passes.
#ifdef NDEBUG
inline constexpr bool verifiesEachPass = false;
#else
inline constexpr bool verifiesEachPass = true;
#endif

/// A program or file of a vendor's toolkit is missing, or refused the kernel. The user can solve this, too.
class ToolchainError : public llvm::ErrorInfo<ToolchainError> {
public:
  static inline char ID = 0;
  explicit ToolchainError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &stream) const override { stream << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string text;
};

/// A step that is not a pass of MLIR's: the translation to LLVM IR, a pass over LLVM IR, code generation.
struct StepInfo {
  constexpr StepInfo(const char *name, const char *summary = "", bool isOptional = false)
      : name(name), summary(summary), isOptional(isOptional) {}

  llvm::StringRef name;
  llvm::StringRef summary; ///< why it is there, in a few words; may be empty
  bool isOptional;         ///< it only improves code on the way of LLVM IR; see OptionalPass.h
};

class PassRunner {
public:
  virtual ~PassRunner() = default;
  /// Runs the pipeline that `build` adds, as the stage `stage`. Diagnostics of passes become the returned error.
  virtual llvm::Error run(mlir::ModuleOp module, llvm::StringRef stage,
                          llvm::function_ref<void(mlir::OpPassManager &)> build) = 0;
  /// Runs a step of the stage `stage`, unless it is left out.
  virtual llvm::Error step(llvm::StringRef stage, StepInfo step, llvm::function_ref<llvm::Error()> body) = 0;
};

} // namespace triton::base
