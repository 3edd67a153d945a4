#include "base/PassDumps.h"

#include "base/PassName.h"

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace triton;
using namespace triton::base;

bool base::isSelected(llvm::StringRef setting, llvm::StringRef kernel) {
  return !setting.empty() && setting != "0" && (setting == "1" || setting == kernel);
}

void base::appendDump(llvm::StringRef path, llvm::StringRef text) {
  if (path.empty()) {
    llvm::errs() << text;
    return;
  }
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error, llvm::sys::fs::OF_Append);
  if (!error) {
    stream << text;
    stream.close();
    error = stream.error();
    stream.clear_error(); // or the program would end
  }
  if (error)
    llvm::errs() << "warning: cannot write `" << path << "`: " << error.message() << '\n';
}

void base::writeNumberedDump(const Environment &environment, llvm::StringRef kernel, llvm::StringRef stage,
                             llvm::StringRef pass, bool changed, llvm::StringRef ending, llvm::StringRef text,
                             PassDumpState &state) {
  llvm::sys::fs::create_directories(environment.passDumpDir);
  llvm::SmallString<128> path(environment.passDumpDir);
  llvm::sys::path::append(path, llvm::formatv("{0}-{1,0+3}-{2}-{3}-{4}.{5}", kernel, state.nextNumber++, stage, pass,
                                              changed ? "changed" : "unchanged", ending)
                                    .str());
  llvm::sys::fs::remove(path);
  appendDump(path, text);
}

namespace {

class DumpInstrumentation : public mlir::PassInstrumentation {
public:
  DumpInstrumentation(const Environment &environment, llvm::StringRef kernel, llvm::StringRef stage,
                      PassDumpState &state)
      : environment(environment), prints(isSelected(environment.mlirDump, kernel)), kernel(kernel), stage(stage),
        state(state) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override {
    if (!isAdaptor(*pass) && !environment.passDumpDir.empty())
      before.emplace(op);
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override { dump(pass, op, "After"); }
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override { dump(pass, op, "After Failed"); }

private:
  void dump(mlir::Pass *pass, mlir::Operation *op, llvm::StringRef when) {
    if (isAdaptor(*pass))
      return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << llvm::formatv("// -----// IR Dump {0} {1} ({2}, stage {3}) //----- //\n", when, pass->getName(),
                            passName(*pass), stage);
    op->print(stream, mlir::OpPrintingFlags().enableDebugInfo(false));
    stream << "\n\n";
    if (prints)
      appendDump(environment.mlirDumpPath, text);
    if (!environment.passDumpDir.empty())
      writeNumbered(pass, op, text);
  }

  void writeNumbered(mlir::Pass *pass, mlir::Operation *op, llvm::StringRef text) {
    bool changed = !before || *before != mlir::OperationFingerPrint(op);
    before.reset();
    writeNumberedDump(environment, kernel, stage, passName(*pass), changed, "mlir", text, state);
  }

  const Environment &environment;
  bool prints;
  std::string kernel, stage;
  PassDumpState &state;
  std::optional<mlir::OperationFingerPrint> before;
};

/// Gives access to the state of a pass, where the pass records what it preserved. An analysis that changes would
/// invalidate cannot replace this, because a pass that runs other passes on the same operation drops all analyses.
struct PassState : mlir::Pass {
  using Pass::getPassState;
};

class ChangeCheck : public mlir::PassInstrumentation {
public:
  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override { before.try_emplace({pass, op}, op); }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override {
    auto known = before.find({pass, op});
    bool reportsChange = !(pass->*&PassState::getPassState)().preservedAnalyses.isAll();
    if (!reportsChange && known->second != mlir::OperationFingerPrint(op))
      op->emitError() << "pass `" << passName(*pass) << "` reports no change but changed the IR";
    before.erase(known);
  }
  void runAfterPassFailed(mlir::Pass *pass, mlir::Operation *op) override { before.erase({pass, op}); }

private:
  std::map<std::pair<mlir::Pass *, mlir::Operation *>, mlir::OperationFingerPrint> before;
};

} // namespace

void base::addPassDumps(mlir::PassManager &manager, const Environment &environment, llvm::StringRef kernel,
                        llvm::StringRef stage, PassDumpState &state) {
  if (isSelected(environment.mlirDump, kernel) || !environment.passDumpDir.empty())
    manager.addInstrumentation(std::make_unique<DumpInstrumentation>(environment, kernel, stage, state));
}

void base::addPassChangeCheck(mlir::PassManager &manager) {
  manager.addInstrumentation(std::make_unique<ChangeCheck>());
}
