#include "explorer/Exploration.h"

#include "base/CompilationRecord.h"
#include "base/Json.h"
#include "compiler/Compiler.h"
#include "explorer/Layouts.h"
#include "explorer/Waits.h"

using namespace triton;
using namespace triton::explorer;
using llvm::json::Array;
using llvm::json::Object;

/// {"text", "lines"}: `lines` has for each line of the text the kernel's line, or 0.
static Object toJson(const base::LinkedText &linked) {
  Array lines;
  lines.reserve(linked.sourceLines.size());
  for (unsigned line : linked.sourceLines)
    lines.push_back(line);
  return Object{{"text", base::validText(linked.text)}, {"lines", std::move(lines)}};
}

static Array describePasses(const base::CompilationRecord &record) {
  Array passes;
  for (const base::RecordedPass &pass : record.passes) {
    Object described{{"stage", pass.stage}, {"name", pass.name}, {"seconds", pass.seconds}};
    if (!pass.purpose.empty())
      described["purpose"] = pass.purpose;
    if (pass.changes)
      described["after"] = toJson(pass.after);
    passes.push_back(std::move(described));
  }
  return passes;
}

/// The texts that follow the IR: assembly for the processor or the GPU.
static Array describeAssembly(const base::CompiledKernel &kernel, const std::string &sourcePath) {
  Array texts;
  for (const char *name : {"ptx", "amdgcn", "asm"}) {
    if (!llvm::is_contained(compiler::artifactNames(kernel), name))
      continue;
    std::string text;
    try {
      text = compiler::artifact(kernel, name);
    } catch (const std::exception &) {
      continue; // what cannot be made on demand is not shown
    }
    Object linked = toJson(base::linkAssembly(text, sourcePath));
    linked["name"] = name;
    texts.push_back(std::move(linked));
  }
  return texts;
}

/// Adds the machine code of a target whose assembly is not the last text, or why it is missing.
static void describeMachineCode(const base::CompiledKernel &kernel, const std::string &sourcePath, Object &root) {
  try {
    std::string text = compiler::disassembly(kernel);
    if (text.empty())
      return;
    Object linked = toJson(base::linkMachineCode(text, sourcePath));
    linked["name"] = "sass";
    root.getArray("assembly")->push_back(std::move(linked));
  } catch (const std::exception &error) {
    root["no_machine_code"] = base::validText(error.what());
  }
}

/// The last text of the stage that has layouts.
static base::LinkedText layoutText(const base::CompilationRecord &record) {
  for (const base::RecordedPass &pass : llvm::reverse(record.passes))
    if (pass.stage == "ttgir" && pass.changes)
      return pass.after;
  return {};
}

Object explorer::describeCompilation(const base::CompiledKernel &kernel, const base::CompilationRecord &record,
                                     const std::string &sourceText) {
  base::LinkedText ttgir = layoutText(record);
  Object root{{"kernel", base::validText(kernel.name)},
              {"target", kernel.target.backend + (kernel.target.arch.empty() ? "" : ":" + kernel.target.arch)},
              {"num_warps", kernel.options.numWarps},
              {"num_stages", kernel.options.numStages},
              {"path", base::validText(record.sourcePath)},
              {"source", base::validText(sourceText)},
              {"passes", describePasses(record)},
              {"has_each_text", record.keepsEachText},
              {"assembly", describeAssembly(kernel, record.sourcePath)},
              {"layouts", describeLayouts(ttgir.text)},
              {"waits", describeWaits(ttgir)}};
  if (auto explanation = kernel.artifacts.find("explain"); explanation != kernel.artifacts.end())
    root["explain"] = llvm::cantFail(base::parseJson(explanation->second));
  describeMachineCode(kernel, record.sourcePath, root);
  return root;
}
