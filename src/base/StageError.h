// Errors of the stages behind the frontend: what MLIR reported, and how it becomes the user's diagnostic or an internal
// error.
#pragma once

#include "base/Diagnostics.h"
#include "base/Errors.h"
#include "base/Source.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace triton::base {

/// A place in a kernel's source file; line 0: unknown.
struct SourcePlace {
  std::string file;
  unsigned line = 0, column = 0;

  bool operator==(const SourcePlace &) const = default;
};

/// The innermost file position of a location, and the call sites around it.
SourcePlace findPlace(mlir::Location location, std::vector<SourcePlace> *callers = nullptr);

/// The location without the calls of the language's own files, which lead to a place of the user; null: none does.
mlir::LocationAttr findUserLocation(mlir::Location location);

/// Something further to look at.
struct StageNote {
  std::string text;
  SourcePlace place;
};

/// A message and where it belongs.
struct StageMessage {
  std::string text;
  SourcePlace place;
  std::vector<SourcePlace> callers;
  std::string operation;             ///< IR of the operation that it is about; may be empty
  std::vector<StageNote> notes = {}; ///< of warnings and remarks; those of errors are part of the text
};

/// A stage that failed. Becomes CompilationError when the first message starts with unsupportedPrefix.
class StageError : public llvm::ErrorInfo<StageError> {
public:
  static char ID;
  StageError(std::string stage, std::string pass, std::vector<StageMessage> messages)
      : stage(std::move(stage)), pass(std::move(pass)), messages(std::move(messages)) {}

  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  std::string stage, pass;
  std::vector<StageMessage> messages; ///< at least one
  std::string reproducer;             ///< how to run the failing part alone; may be empty
};

/// While alive, keeps the errors that MLIR reports in this context; warnings and remarks go to standard error when
/// `shown` (MLIR_ENABLE_DIAGNOSTICS) names them.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext &context, std::string shown);

  bool hasErrors() const { return !messages.empty(); }
  std::vector<StageMessage> take() { return std::move(messages); }
  /// The text that messages quote; may be null.
  void setSource(const base::Source *source) { known = source; }

private:
  mlir::LogicalResult handle(mlir::Diagnostic &diagnostic);
  void print(mlir::Diagnostic &diagnostic) const;
  std::string shown;
  const base::Source *known = nullptr;
  std::vector<StageMessage> messages;
  mlir::ScopedDiagnosticHandler handler;
};

/// `message`, rendered: the place, its line from `known` or from the file, the call sites, the notes.
std::string renderMessage(DiagnosticClass diagnosticClass, const StageMessage &message, const std::string &fix,
                          const base::Source *known);

/// The user's error for `message`, rendered.
std::string renderUserError(const StageMessage &message, const std::string &fix, const base::Source *known);

/// Throws the user's error for `message`, as renderUserError has it.
[[noreturn]] void throwUserError(const StageMessage &message, const base::Source *known);

/// Throws CompilationError or InternalError for `error`, which must hold one. `source` is the kernel's; places in other
/// files are read from disk.
[[noreturn]] void throwStageError(llvm::Error error, const base::Source *source, const std::string &kernel,
                                  const std::string &stage);

} // namespace triton::base
