#include "base/CompilationRecord.h"

#include "base/OptionalPass.h"
#include "base/PassName.h"
#include "base/StageError.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/STLExtras.h"

#include <chrono>

using namespace triton;
using namespace triton::base;

static unsigned lineIn(llvm::StringRef sourcePath, mlir::Location location) {
  std::vector<SourcePlace> callers;
  SourcePlace place = findPlace(location, &callers);
  if (place.file == sourcePath)
    return place.line;
  for (const SourcePlace &caller : callers)
    if (caller.file == sourcePath)
      return caller.line;
  return 0;
}

LinkedText base::linkText(mlir::Operation *module, llvm::StringRef sourcePath) {
  LinkedText linked;
  mlir::AsmState::LocationMap places;
  {
    llvm::raw_string_ostream stream(linked.text);
    mlir::AsmState state(module, mlir::OpPrintingFlags().enableDebugInfo(false), &places);
    module->print(stream, state);
    stream << "\n";
  }
  linked.sourceLines.resize(llvm::StringRef(linked.text).count('\n'));
  for (const auto &[operation, place] : places)
    if (place.first >= 1 && place.first <= linked.sourceLines.size())
      linked.sourceLines[place.first - 1] = lineIn(sourcePath, operation->getLoc());
  return linked;
}

namespace {

class PassRecorder : public mlir::PassInstrumentation {
public:
  PassRecorder(llvm::StringRef stage, CompilationRecord &record) : stage(stage), record(record) {}

  void runBeforePass(mlir::Pass *, mlir::Operation *) override { begins.push_back(Clock::now()); }
  void runAfterPassFailed(mlir::Pass *, mlir::Operation *) override { begins.pop_back(); }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override {
    std::chrono::duration<double> time = Clock::now() - begins.back();
    begins.pop_back();
    if (isAdaptor(*pass))
      return;
    while (mlir::Operation *parent = op->getParentOp())
      op = parent;
    auto print = [&] { return linkText(op, record.sourcePath); };
    recordStep(record, stage, passName(*pass), time.count(), print, pass->getDescription());
    record.passes.back().isOptional = isOptional(*pass);
  }

private:
  using Clock = std::chrono::steady_clock;
  std::string stage;
  CompilationRecord &record;
  std::vector<Clock::time_point> begins;
};

} // namespace

void base::addPassRecorder(mlir::PassManager &manager, llvm::StringRef stage, CompilationRecord &record) {
  manager.addInstrumentation(std::make_unique<PassRecorder>(stage, record));
}

/// Keeps the text unless it is the last one that is kept.
static void keepText(CompilationRecord &record, RecordedPass &pass, LinkedText after) {
  auto before = llvm::find_if(llvm::reverse(record.passes), [](const RecordedPass &other) { return other.changes; });
  pass.changes = before == record.passes.rend() || before->after.text != after.text;
  if (pass.changes)
    pass.after = std::move(after);
}

void base::recordStep(CompilationRecord &record, llvm::StringRef stage, llvm::StringRef name, double seconds,
                      llvm::function_ref<LinkedText()> print, llvm::StringRef purpose) {
  RecordedPass recorded{stage.str(), name.str(), purpose.str(), seconds, /*changes=*/false, {}};
  if (record.keepsEachText)
    keepText(record, recorded, print());
  record.passes.push_back(std::move(recorded));
}

void base::recordStageEnd(CompilationRecord &record, llvm::StringRef stage, llvm::function_ref<LinkedText()> print) {
  if (!record.keepsEachText && !record.passes.empty() && record.passes.back().stage == stage)
    keepText(record, record.passes.back(), print());
}
