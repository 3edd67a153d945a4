#include "base/FatalErrors.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

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

class ErrorCollector final : public llvm::DiagnosticHandler {
public:
  explicit ErrorCollector(std::vector<std::string> &messages) : messages(messages) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return false;
    llvm::raw_string_ostream stream(messages.emplace_back());
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

private:
  std::vector<std::string> &messages;
};

} // namespace

llvm::Error base::catchFatalErrors(llvm::function_ref<llvm::Error()> body) {
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

void base::collectErrors(llvm::LLVMContext &context, std::vector<std::string> &messages) {
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(messages));
}
