#include "backends/FatalErrors.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <new>

using namespace triton;

namespace {

struct FatalError {
  std::string reason;
};

thread_local unsigned catchDepth = 0;

/// When nothing catches the error, returns to LLVM, which ends the process.
void throwFatalError(void *, const char *reason, bool /*makesCrashReport*/) {
  if (catchDepth)
    throw FatalError{reason};
}

/// LLVM's own answer to an allocation that fails is to end the process.
[[noreturn]] void throwOutOfMemory(void *, const char *, bool) { throw std::bad_alloc(); }

const bool handlesOutOfMemory = (llvm::install_bad_alloc_error_handler(throwOutOfMemory), true);

/// Notes the place of the assembly; returns "kernel.py:12:5: ", empty where the assembly has no place.
std::string notePlace(const llvm::DiagnosticInfoInlineAsm &info, backends::CodeGenerationError &error) {
  const llvm::Instruction *call = info.getInstruction();
  const llvm::DILocation *place = call ? call->getDebugLoc().get() : nullptr;
  if (!place)
    return "";
  error.file = place->getFilename().str();
  error.line = place->getLine();
  error.column = place->getColumn();
  return (llvm::Twine(error.file) + ":" + llvm::Twine(error.line) + ":" + llvm::Twine(error.column) + ": ").str();
}

class ErrorCollector final : public llvm::DiagnosticHandler {
public:
  explicit ErrorCollector(std::vector<backends::CodeGenerationError> &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return false;
    backends::CodeGenerationError &error = errors.emplace_back();
    llvm::raw_string_ostream stream(error.text);
    if (auto *assembly = llvm::dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info)) {
      error.isOfAssembly = true;
      stream << notePlace(*assembly, error);
    } else if (auto *unsupported = llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info);
               unsupported && unsupported->isLocationAvailable()) {
      llvm::StringRef file;
      unsupported->getLocation(file, error.line, error.column);
      error.file = file.str();
    }
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

private:
  std::vector<backends::CodeGenerationError> &errors;
};

} // namespace

llvm::Error backends::catchFatalErrors(llvm::function_ref<llvm::Error()> body) {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(throwFatalError); });
  ++catchDepth;
  llvm::scope_exit leave([] { --catchDepth; });
  try {
    return body();
  } catch (const FatalError &error) {
    return llvm::createStringError("LLVM: " + error.reason);
  }
}

void backends::collectErrors(llvm::LLVMContext &context, std::vector<CodeGenerationError> &errors) {
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
}
