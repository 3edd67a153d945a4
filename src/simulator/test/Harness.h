// Runs a kernel that is given as LLVM IR text.
#pragma once

#include "simulator/Decode.h"
#include "simulator/core/Launch.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace triton::simulator {

inline std::unique_ptr<Program> decodeText(llvm::StringRef text, llvm::StringRef kernel = "kernel") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module) {
    ADD_FAILURE() << diagnostic.getMessage().str() << "\n" << diagnostic.getLineContents().str();
    return nullptr;
  }
  llvm::Expected<std::unique_ptr<Program>> program = decodeKernel(*module, kernel);
  if (!program) {
    ADD_FAILURE() << llvm::toString(program.takeError());
    return nullptr;
  }
  return std::move(*program);
}

/// An array argument as the launch needs it.
template <typename T> Allocation allocationOf(std::vector<T> &array, std::string name) {
  return {std::move(name), reinterpret_cast<uintptr_t>(array.data()), array.size() * sizeof(T), true};
}

template <typename T> uint64_t addressOf(std::vector<T> &array) { return reinterpret_cast<uint64_t>(array.data()); }

/// Compares the findings of a launch with those that it must have. Each test adds its way to launch.
struct CheckedRun {
  LaunchResult result;

  void expectNoFindings() { EXPECT_TRUE(result.findings.empty()) << result.findings.front().str(); }
  void expect(FindingKind kind, llvm::StringRef words) {
    for (const Finding &finding : result.findings)
      if (finding.kind == kind && finding.detail.find(words.str()) != std::string::npos)
        return;
    ADD_FAILURE() << "not found: " << words.str()
                  << (result.findings.empty() ? "" : "; but " + result.findings.front().str());
  }
};

} // namespace triton::simulator
