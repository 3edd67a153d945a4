#include "CompileFixture.h"

#include "llvm/Support/JSON.h"

#include <thread>

using namespace triton;
using namespace triton::compiler;

namespace {

class CompileTest : public CompileFixture {
protected:
  /// The error that compiling this kernel of one pointer argument gives.
  static CompilationError compileError(const std::string &body) {
    CompileRequest request;
    request.function = load("@triton.jit\ndef kernel(x):\n" + body);
    request.arguments = {pointer("x")};
    try {
      compile(request);
    } catch (const CompilationError &error) {
      return error;
    }
    ADD_FAILURE() << "no CompilationError";
    return CompilationError(CompilationError::Kind::General, "", "", 0, 0);
  }
};

} // namespace

TEST_F(CompileTest, KeepsAnArtifactOfEveryStage) {
  auto kernel = compile(addRequest());
  EXPECT_EQ(artifactNames(*kernel), (std::vector<std::string>{"source", "ttir", "ttcir", "llir", "asm", "o"}));
  EXPECT_NE(artifact(*kernel, "source").find("tt.func public @kernel"), std::string::npos);
  EXPECT_NE(artifact(*kernel, "ttir").find("tt.load"), std::string::npos);
  EXPECT_EQ(artifact(*kernel, "ttcir").find("tt.load"), std::string::npos);
  EXPECT_NE(artifact(*kernel, "llir").find("define"), std::string::npos);
  EXPECT_NE(artifact(*kernel, "asm").find("kernel:"), std::string::npos);
  EXPECT_EQ(artifact(*kernel, "o").substr(1, 3), "ELF");
  EXPECT_EQ(artifact(*kernel, "ptx"), "");
}

TEST_F(CompileTest, MetadataIsJsonWithOptionsAndTarget) {
  CompileRequest request = addRequest();
  request.options.numWarps = 8;
  request.options.extra["my_option"] = "7";
  auto kernel = compile(request);
  auto parsed = llvm::json::parse(kernel->metadata);
  ASSERT_TRUE(bool(parsed));
  const llvm::json::Object &metadata = *parsed->getAsObject();
  EXPECT_EQ(metadata.getString("hash"), llvm::StringRef(kernel->hash));
  EXPECT_EQ(metadata.getString("name"), "kernel");
  EXPECT_EQ(metadata.getInteger("num_warps"), 8);
  EXPECT_EQ(metadata.getInteger("my_option"), 7);
  EXPECT_EQ(metadata.getInteger("shared"), 0);
  EXPECT_EQ(metadata.getObject("target")->getString("backend"), "cpu");
}

TEST_F(CompileTest, TtirTextCompilesAndRuns) {
  auto fromSource = compile(addRequest());
  CompileRequest request;
  request.irText = artifact(*fromSource, "ttir");
  request.irStage = "ttir";
  request.irPath = "add.ttir";
  auto kernel = compile(request);
  EXPECT_EQ(kernel->name, "kernel");
  ASSERT_EQ(kernel->arguments.size(), 1u);
  EXPECT_EQ(kernel->arguments[0].type.str(), "*fp32");
  EXPECT_EQ(runOnZeros(*kernel), 1.0f);
}

TEST_F(CompileTest, LaterStagesCompileFromText) {
  auto fromSource = compile(addRequest());
  for (const char *stage : {"ttcir", "llir"}) {
    CompileRequest request;
    request.irText = artifact(*fromSource, stage);
    request.irStage = stage;
    request.irPath = std::string("add.") + stage;
    request.kernelName = "kernel";
    auto kernel = compile(request);
    ASSERT_NE(kernel->loaded, nullptr) << stage;
    EXPECT_EQ(runOnZeros(*kernel), 1.0f) << stage;
  }
}

TEST_F(CompileTest, IrThatDoesNotParseIsTheUsersError) {
  for (const char *stage : {"ttir", "ttcir", "llir"}) {
    CompileRequest request;
    request.irText = "module {\n  this is no IR\n}\n";
    request.irStage = stage;
    request.irPath = "bad.ir";
    try {
      compile(request);
      ADD_FAILURE() << "no error";
    } catch (const CompilationError &error) {
      EXPECT_NE(std::string(error.what()).find("bad.ir:"), std::string::npos) << error.what();
      EXPECT_GE(error.line, 1u);
    }
  }
}

TEST_F(CompileTest, IrWithoutAKernelIsTheUsersError) {
  const std::string absent = "`empty.ttir` holds no kernel";
  for (const auto &[text, message] :
       {std::pair{"", absent}, std::pair{"module {}", absent},
        std::pair{"module { func.func @k() { return } }", std::string("does not belong in TTIR")}}) {
    CompileRequest request;
    request.irText = text;
    request.irStage = "ttir";
    request.irPath = "empty.ttir";
    try {
      compile(request);
      ADD_FAILURE() << "no error for " << text;
    } catch (const CompilationError &error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

TEST_F(CompileTest, AnUnknownStageOrBackendIsTheUsersError) {
  CompileRequest request;
  request.irText = "module {}";
  request.irStage = "ptx";
  EXPECT_THROW(compile(request), CompilationError);
  request = addRequest();
  request.target.backend = "abacus";
  EXPECT_THROW(compile(request), CompilationError);
}

TEST_F(CompileTest, ErrorsOfTheSourceShowPlaceLineAndCaret) {
  CompilationError error = compileError("    y = undefined_name\n");
  std::string text = error.what();
  EXPECT_EQ(error.line, 6u);
  EXPECT_EQ(error.column, 9u);
  EXPECT_NE(text.find("test.py:6:9: error:"), std::string::npos) << text;
  EXPECT_NE(text.find("    y = undefined_name\n"), std::string::npos) << text;
  EXPECT_NE(text.find('^'), std::string::npos) << text;
}

TEST_F(CompileTest, WhatTheTargetLacksIsTheUsersErrorWithItsLine) {
  CompilationError error =
      compileError("    y = tl.inline_asm_elementwise(\"vabsdiff4.b32 $0, $1;\", \"=r,r\", [tl.load(x + "
                   "tl.arange(0, 16))], dtype=tl.float32, is_pure=True, pack=1)\n"
                   "    tl.store(x + tl.arange(0, 16), y)\n");
  std::string text = error.what();
  EXPECT_NE(text.find("not supported on this target"), std::string::npos) << text;
  EXPECT_NE(text.find("test.py:6"), std::string::npos) << text;
}

TEST_F(CompileTest, StopsAfterTheStageAskedFor) {
  CompileRequest request = addRequest();
  request.lastStage = "ttir";
  auto kernel = compile(request);
  EXPECT_EQ(kernel->artifacts.count("ttir"), 1u);
  EXPECT_EQ(kernel->artifacts.count("ttcir"), 0u);
  EXPECT_EQ(kernel->loaded, nullptr);
}

TEST_F(CompileTest, TextOfTheFirstStageGoesThroughThatStage) {
  CompileRequest request;
  request.irText = "module {\n  tt.func public @k(%p: !tt.ptr<i32>) {\n    %a = arith.constant 1 : i32\n"
                   "    %b = arith.addi %a, %a : i32\n    tt.store %p, %b : !tt.ptr<i32>\n    tt.return\n  }\n}\n";
  request.irStage = request.lastStage = "ttir";
  request.irPath = "k.ttir";
  request.target = {"cpu", "", 0};
  auto kernel = compile(request);
  EXPECT_EQ(kernel->artifacts.at("ttir").find("arith.addi"), std::string::npos);
  EXPECT_EQ(kernel->artifacts.count("ttcir"), 0u);
}

TEST_F(CompileTest, SeveralThreadsCompileAtOnce) {
  std::vector<std::thread> threads;
  std::vector<float> results(6);
  threads.reserve(results.size());
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&, i] { results[i] = runOnZeros(*compile(addRequest(std::to_string(i) + ".0"))); });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(results[i], float(i));
}

TEST_F(CompileTest, WarmUpMayRunBesideCompilations) {
  warmUp();
  EXPECT_EQ(runOnZeros(*compile(addRequest())), 1.0f);
  waitForWarmUp();
  EXPECT_EQ(filesBelow(directory + "/cache").size(), 7u) << "the sample kernel must not be cached";
}

TEST_F(CompileTest, ListsStagesAndPasses) {
  std::string text = describePasses("cpu");
  for (const char *expected :
       {"source: ", "\nttir: ", "\nttcir: ", "\nllir: ", "\no: ", "\noptional: ", "canonicalize", "triton-"})
    EXPECT_NE(text.find(expected), std::string::npos) << expected << " in\n" << text;
}
