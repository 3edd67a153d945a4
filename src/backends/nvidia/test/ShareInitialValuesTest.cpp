// What loops begin with, where they may not run.
#include "backends/nvidia/llvm/Passes.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

namespace {

/// The text of a loop that carries `count` sums, which are `left` where it does not run.
std::string writeLoop(unsigned count, const std::string &left) {
  std::string header, adds, behind;
  for (unsigned i = 0; i < count; ++i) {
    header += llvm::formatv("  %s{0} = phi float [ 0.0, %entry ], [ %a{0}, %loop ]\n", i);
    adds += llvm::formatv("  %a{0} = fadd float %s{0}, {0}.0\n", i);
    behind += llvm::formatv("  %r{0} = phi float [ {1}, %test ], [ %a{0}, %loop ]\n", i, left);
  }
  return "define float @f(i32 %n) {\ntest:\n  %runs = icmp sgt i32 %n, 0\n  br i1 %runs, label %entry, label %exit\n"
         "entry:\n  br label %loop\n"
         "loop:\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n" +
         header + adds +
         "  %next = add i32 %i, 1\n  %more = icmp slt i32 %next, %n\n  br i1 %more, label %loop, label %exit\n"
         "exit:\n" +
         behind + "  ret float %r0\n}\n";
}

/// The number of values that the piece of assembly defines; 0 if there is none.
unsigned countShared(const std::string &text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  llvm::ModuleAnalysisManager analyses;
  triton::nvidia::ShareInitialValuesPass().run(*module, analyses);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  for (const llvm::Instruction &instruction : llvm::instructions(*module->getFunction("f")))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm())
      return llvm::cast<llvm::StructType>(call->getType())->getNumElements();
  return 0;
}

} // namespace

TEST(ShareInitialValues, DefinesThemOnce) { EXPECT_EQ(countShared(writeLoop(32, "0.0")), 32u); }

TEST(ShareInitialValues, LeavesFewAlone) { EXPECT_EQ(countShared(writeLoop(4, "0.0")), 0u); }

TEST(ShareInitialValues, LeavesOtherResultsAlone) { EXPECT_EQ(countShared(writeLoop(32, "1.0")), 0u); }
