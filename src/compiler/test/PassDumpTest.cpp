#include "CompileFixture.h"
#include "base/Environment.h"
#include "compiler/PipelineRunner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/Passes.h"

using namespace triton::compiler;

namespace {

class PassDumpTest : public CompileFixture {};

/// Adds an attribute, and may lie about it.
struct MarkPass : mlir::PassWrapper<MarkPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkPass)
  explicit MarkPass(bool lies) : lies(lies) {}
  llvm::StringRef getArgument() const override { return "test-mark"; }
  void runOnOperation() override {
    getOperation()->setAttr("test.mark", mlir::UnitAttr::get(&getContext()));
    if (lies)
      markAllAnalysesPreserved();
  }
  bool lies;
};

struct FailPass : mlir::PassWrapper<FailPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FailPass)
  explicit FailPass(std::string message) : message(std::move(message)) {}
  llvm::StringRef getArgument() const override { return "test-fail"; }
  void runOnOperation() override {
    getOperation().emitError() << message;
    signalPassFailure();
  }
  std::string message;
};

/// Runs one pass on an empty module; the error's text, empty on success.
std::string runPass(std::unique_ptr<mlir::Pass> pass, const Environment &environment) {
  mlir::MLIRContext context;
  auto module = mlir::parseSourceString<mlir::ModuleOp>("module {}", &context);
  PipelineRunner runner(context, environment, "kernel");
  llvm::Error error =
      runner.run(*module, "stage", [&](mlir::OpPassManager &manager) { manager.addPass(std::move(pass)); });
  return llvm::toString(std::move(error));
}

} // namespace

TEST_F(PassDumpTest, AFalseClaimOfNoChangeIsFound) {
  Environment environment;
  EXPECT_EQ(runPass(std::make_unique<MarkPass>(/*lies=*/true), environment), "");
  environment.checkPassChanges = true;
  EXPECT_EQ(runPass(std::make_unique<MarkPass>(/*lies=*/false), environment), "");
  std::string text = runPass(std::make_unique<MarkPass>(/*lies=*/true), environment);
  EXPECT_NE(text.find("`test-mark` reports no change but changed the IR"), std::string::npos) << text;
}

TEST_F(PassDumpTest, OurPassesReportTheirChanges) {
  set("TRITON_CHECK_PASS_CHANGES", "1");
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
}

TEST_F(PassDumpTest, InternalErrorsNameStagePassAndReproducer) {
  Environment environment;
  environment.reproducerPath = directory + "/case";
  mlir::MLIRContext context;
  auto module = mlir::parseSourceString<mlir::ModuleOp>("module {}", &context);
  PipelineRunner runner(context, environment, "kernel");
  std::string input = "module {}\n";
  runner.beginStage(input, "source", "kernel", "cpu");
  llvm::Error error = runner.run(*module, "stage", [&](mlir::OpPassManager &manager) {
    manager.addPass(mlir::createCanonicalizerPass());
    manager.addPass(std::make_unique<FailPass>("broken"));
  });
  ASSERT_TRUE(bool(error));
  try {
    throwStageError(std::move(error), nullptr, "kernel", "stage");
  } catch (const InternalError &internal) {
    std::string text = internal.what();
    for (const char *expected : {"kernel `kernel`", "stage `stage`", "pass `test-fail`", "broken", "triton-opt",
                                 "canonicalize", "case.stage.repro.mlir"})
      EXPECT_NE(text.find(expected), std::string::npos) << expected << " in\n" << text;
  }
  EXPECT_NE(read(directory + "/case.stage.repro.mlir").find("module {}"), std::string::npos);
}

TEST_F(PassDumpTest, UnsupportedOperationsAreTheUsersError) {
  Environment environment;
  mlir::MLIRContext context;
  auto module = mlir::parseSourceString<mlir::ModuleOp>("module {}", &context);
  PipelineRunner runner(context, environment, "kernel");
  llvm::Error error = runner.run(*module, "stage", [&](mlir::OpPassManager &manager) {
    manager.addPass(std::make_unique<FailPass>("not supported on cpu yet: `tl.histogram`"));
  });
  EXPECT_THROW(throwStageError(std::move(error), nullptr, "kernel", "stage"), CompilationError);
}

TEST_F(PassDumpTest, NumberedDumpsTellWhatChanged) {
  set("TRITON_PASS_DUMP_DIR", directory + "/passes");
  compile(addRequest());
  std::vector<std::string> files = filesBelow(directory + "/passes");
  ASSERT_GT(files.size(), 5u);
  EXPECT_EQ(llvm::sys::path::filename(files[0]).substr(0, 16), "kernel-000-ttir-");
  std::size_t changed = 0;
  for (const std::string &path : files) {
    llvm::StringRef stem = llvm::sys::path::stem(path), ending = llvm::sys::path::extension(path);
    bool isChanged = stem.ends_with("-changed");
    EXPECT_TRUE(isChanged || stem.ends_with("-unchanged")) << path;
    bool isOfLlvm =
        stem.contains("-llir-translate-") || stem.contains("-llir-early-cse-") || stem.contains("-o-codegen-");
    EXPECT_EQ(ending, isOfLlvm ? ".ll" : ".mlir") << path;
    changed += isChanged;
  }
  EXPECT_GT(changed, 0u);
  EXPECT_LT(changed, files.size());
}

TEST_F(PassDumpTest, MlirDumpSelectsByKernelName) {
  set("MLIR_DUMP_PATH", directory + "/dump.mlir");
  set("MLIR_ENABLE_DUMP", "other");
  compile(addRequest());
  EXPECT_EQ(read(directory + "/dump.mlir"), "");
  set("MLIR_ENABLE_DUMP", "kernel");
  compile(addRequest());
  std::string text = read(directory + "/dump.mlir");
  EXPECT_NE(text.find("IR Dump After"), std::string::npos);
  EXPECT_NE(text.find("canonicalize"), std::string::npos);
}

TEST_F(PassDumpTest, LlvmIrDumpAndTimingPrint) {
  set("LLVM_IR_ENABLE_DUMP", "1");
  set("MLIR_ENABLE_TIMING", "1");
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  compile(addRequest());
  std::string text = testing::internal::GetCapturedStderr() + testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("----- LLVM IR after"), std::string::npos);
  EXPECT_NE(text.find("Execution time report"), std::string::npos);
  EXPECT_NE(text.find("Canonicalizer"), std::string::npos);
}

TEST_F(PassDumpTest, PassesCanBeSkippedAndBisected) {
  set("TRITON_SKIP_PASSES", "cse, canonicalize");
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
  set("TRITON_SKIP_PASSES", "");
  set("TRITON_PASS_DUMP_DIR", directory + "/passes");
  for (const char *limit : {"0", "1", "3"}) {
    set("TRITON_STOP_AFTER_PASS", limit);
    testing::internal::CaptureStderr();
    EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
    std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("is the first pass that does not run"), std::string::npos) << text;
  }
}
