// Writes the Python stubs of triton.language (names, signatures, types and documentation for editors and for `help()`)
// and docs/builtins.md from the table of builtins and the prelude. With --check it only reports whether the files in
// the tree are current.
#include "base/Source.h"
#include "frontend/AST.h"
#include "frontend/Parser.h"
#include "frontend/lowering/builtins/Builtin.h"
#include "frontend/lowering/builtins/Libdevice.h"
#include "frontend/lowering/builtins/Prelude.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace triton::frontend;

namespace {

llvm::cl::opt<std::string> root(llvm::cl::Positional, llvm::cl::Required, llvm::cl::desc("<root of the source tree>"));
llvm::cl::opt<bool> check("check", llvm::cl::desc("fail when a file differs, and write nothing"));

constexpr size_t lineWidth = 120;

/// A function in the form that a stub shows.
struct Stub {
  std::string name;
  std::vector<std::string> parameters; ///< each with annotation and default
  std::string result;
  std::string documentation;
  std::string module = "tl."; ///< precedes the name, as users write it

  std::string displayName() const { return module + name; }
};

std::vector<std::string> parametersOf(const Builtin &builtin) {
  std::vector<std::string> parameters;
  for (const BuiltinParameter &parameter : builtin.parameterList()) {
    std::string text = (parameter.takesKeywords ? "**" : parameter.isVariadic ? "*" : "") + parameter.name.str();
    if (!parameter.annotation.empty())
      text += ": " + parameter.annotation.str();
    if (parameter.hasDefault)
      text += (parameter.annotation.empty() ? "=" : " = ") + parameter.defaultText.str();
    parameters.push_back(std::move(text));
  }
  return parameters;
}

/// Whether the builtin is in another module than the language itself.
bool isOfModule(const Builtin &builtin) {
  return builtin.flags & (TargetInfoModule | CudaModule | HipModule | GluonModule);
}

Stub stubOf(const Builtin &builtin) {
  Stub stub{builtin.name.str(), parametersOf(builtin), builtin.result.str(), builtin.documentation.str()};
  if (isOfModule(builtin))
    stub.module = llvm::StringRef(builtin.displayName()).drop_back(builtin.name.size()).str();
  return stub;
}

/// The first statement, if it is a string.
std::string docstring(const ast::FunctionDef &definition) {
  auto *statement = definition.body.empty() ? nullptr : llvm::dyn_cast<ast::ExpressionStatement>(definition.body[0]);
  auto *constant = statement ? llvm::dyn_cast<ast::Constant>(statement->value) : nullptr;
  return constant && constant->constantKind == ast::ConstantKind::String ? constant->text.str() : "";
}

std::vector<Stub> stubsOf(const PreludeFile &file) {
  std::vector<Stub> stubs;
  const Source &source = preludeSource(file);
  for (const ast::Statement *statement : moduleOf(source).body) {
    auto *definition = llvm::dyn_cast<ast::FunctionDef>(statement);
    llvm::StringRef name = definition ? definition->name.name : "";
    if (name.empty() || !preludeFunction(file.module, name))
      continue;
    Stub stub{definition->name.name.str(), {}, "", docstring(*definition)};
    for (const ast::Parameter &parameter : definition->parameters) {
      std::string text = source.text(parameter.range).str();
      for (size_t at; (at = text.find("tl.")) != std::string::npos;)
        text.erase(at, 3);
      stub.parameters.push_back(text);
    }
    stubs.push_back(std::move(stub));
  }
  return stubs;
}

/// Text wrapped at the line width; an empty line separates paragraphs.
std::string wrap(llvm::StringRef text, llvm::StringRef indent) {
  std::string result;
  llvm::SmallVector<llvm::StringRef> paragraphs;
  text.split(paragraphs, "\n\n");
  for (auto [index, paragraph] : llvm::enumerate(paragraphs)) {
    if (index)
      result += "\n\n" + indent.str();
    size_t column = indent.size() + (index ? 0 : 3);
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(paragraph, words);
    for (auto [position, word] : llvm::enumerate(words)) {
      bool breaks = position && column + 1 + word.size() + 3 > lineWidth;
      if (breaks)
        result += "\n" + indent.str();
      else if (position)
        result += " ";
      column = breaks ? indent.size() + word.size() : column + (position ? 1 : 0) + word.size();
      result += word.str();
    }
  }
  return result;
}

/// `def name(parameters) -> result:`, broken after commas where it is too long.
std::string header(const Stub &stub, llvm::StringRef indent) {
  std::string line = indent.str() + "def " + stub.name + "(";
  std::string continuation(line.size(), ' '), text;
  for (auto [index, parameter] : llvm::enumerate(stub.parameters)) {
    bool isLast = index + 1 == stub.parameters.size();
    size_t tail = isLast ? 8 + stub.result.size() : 1;
    if (index && line.size() + 1 + parameter.size() + tail > lineWidth) {
      text += line + "\n";
      line = continuation;
    } else if (index) {
      line += " ";
    }
    line += parameter + (isLast ? "" : ",");
  }
  return text + line + ")" + (stub.result.empty() ? "" : " -> " + stub.result) + ":\n";
}

void write(llvm::raw_ostream &stream, const Stub &stub, llvm::StringRef indent = "") {
  std::string inner = indent.str() + "    ";
  Stub defined = stub;
  std::replace(defined.name.begin(), defined.name.end(), '.', '_');
  stream << indent << "@builtin\n" << header(defined, indent);
  stream << inner << "\"\"\"" << wrap(stub.documentation, inner) << "\"\"\"\n";
  stream << inner << "raise kernel_only(\"" << stub.displayName() << "\")\n";
}

constexpr llvm::StringLiteral notice =
    "# Generated by triton-generate-stubs from the compiler's table of builtins; edit that table instead.\n"
    "# ruff: noqa\n"
    "# fmt: off\n";

std::string module(llvm::StringRef documentation, llvm::StringRef imports, llvm::ArrayRef<Stub> stubs) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << notice << "\"\"\"" << documentation << "\"\"\"\n\nfrom __future__ import annotations\n\n" << imports;
  for (const Stub &stub : stubs) {
    stream << "\n\n";
    write(stream, stub);
  }
  return text;
}

/// Types and loop iterators are classes, written by hand.
bool isWrittenByHand(const Builtin &builtin) {
  return builtin.group == "Types" || builtin.group == "Loops" || builtin.name.starts_with("_");
}

std::string coreModule() {
  std::vector<Stub> stubs;
  for (const Builtin &builtin : builtins())
    if (!isWrittenByHand(builtin) && !isOfModule(builtin) && !(builtin.flags & onlyMethods))
      stubs.push_back(stubOf(builtin));
  return module("The functions that the compiler implements itself.",
                "from ._aggregate import aggregate as _aggregate\nfrom ._aggregate import aggregate_replace\n"
                "from ._kernel_only import builtin, kernel_only\n"
                "from .dtypes import *\nfrom .types import *\nfrom .types import _unwrap_if_constexpr\n",
                stubs);
}

std::string mathModule() {
  std::string text = notice.str() + "\"\"\"The mathematical functions.\"\"\"\n\nfrom .core import (";
  llvm::StringRef separator = "";
  for (const Builtin &builtin : builtins()) {
    if (!(builtin.flags & MathModule))
      continue;
    text += separator.str() + builtin.name.str();
    separator = ", ";
  }
  return text + ")\n";
}

/// Writes a class of values, with the methods of `stubs`, which take the value as their first parameter. Kernels may
/// name one that is a constant.
void writeClass(llvm::raw_ostream &stream, llvm::StringRef name, llvm::StringRef documentation, std::vector<Stub> stubs,
                bool isConstant = false) {
  stream << "\n\nclass " << name << ":\n    \"\"\"" << wrap(documentation, "    ") << "\"\"\"\n\n"
         << (isConstant ? "    __triton_constant__ = True\n\n" : "")
         << "    def __init__(self, *args, **kwargs):\n        raise kernel_only(\"tl." << name << "\")\n";
  for (Stub &stub : stubs) {
    stub.parameters.front() = "self";
    stream << "\n";
    write(stream, stub, "    ");
  }
}

void writeProperty(llvm::raw_ostream &stream, llvm::StringRef owner, llvm::StringRef name,
                   llvm::StringRef documentation) {
  stream << "\n    @property\n    def " << name << "(self):\n        \"\"\"" << documentation
         << "\"\"\"\n        raise kernel_only(\"tl." << owner << "." << name << "\")\n";
}

std::string methodsModule() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << notice << "\"\"\"The values of kernels and their methods.\"\"\"\n\nfrom __future__ import annotations\n\n"
         << "from ._kernel_only import builtin, kernel_only\n"
         << "from .constants import constexpr\n";
  std::vector<Stub> stubs, ofDescriptors;
  for (const Builtin &builtin : builtins()) {
    if (builtin.flags & TensorMethod)
      stubs.push_back(stubOf(builtin));
    if (builtin.flags & DescriptorMethod)
      ofDescriptors.push_back(stubOf(builtin));
  }
  for (const PreludeFile &file : preludeFiles())
    for (Stub &stub : stubsOf(file))
      if (preludeMethod(stub.name))
        stubs.push_back(std::move(stub));
  writeClass(stream, "tensor", "A value that a kernel computes: a scalar or a block. Exists inside kernels only.",
             std::move(stubs));
  writeProperty(stream, "tensor", "T", "A block of rank 2 with both axes swapped.");
  writeClass(stream, "tensor_descriptor",
             "A strided array in memory, accessed in blocks. Made by `tl.make_tensor_descriptor`, or by the host as a "
             "`triton.tools.tensor_descriptor.TensorDescriptor`. Exists inside kernels only.",
             std::move(ofDescriptors));
  writeProperty(stream, "tensor_descriptor", "dtype", "The type of the elements.");
  writeProperty(stream, "tensor_descriptor", "block_type", "The type of the block that one access moves.");
  writeProperty(stream, "tensor_descriptor", "block_shape", "The shape of that block.");
  return text;
}

/// The functions of one vendor's GPUs.
std::string vendorModule(BuiltinFlags flag, llvm::StringRef documentation) {
  std::vector<Stub> stubs;
  for (const Builtin &builtin : builtins())
    if (builtin.flags & flag)
      stubs.push_back(stubOf(builtin));
  return module(documentation,
                "from ..._kernel_only import builtin, kernel_only\nfrom ...types import constexpr, tensor\n", stubs);
}

/// The functions that Gluon has instead of the language's.
std::string gluonFunctions() {
  std::vector<Stub> stubs, ofBuffers, ofMatrices;
  for (const Builtin &builtin : builtins())
    if (builtin.flags & (GluonModule | BufferMethod | MatrixMethod))
      (builtin.flags & BufferMethod   ? ofBuffers
       : builtin.flags & MatrixMethod ? ofMatrices
                                      : stubs)
          .push_back(stubOf(builtin));
  std::string text = module("The functions that Gluon has of its own, or with a layout.",
                            "from .... import language as _language\n"
                            "from ....language._kernel_only import builtin, kernel_only\n"
                            "from ....language.types import constexpr, tensor\n"
                            "from .._names import complete as _complete\n",
                            stubs);
  llvm::raw_string_ostream stream(text);
  writeClass(
      stream, "shared_memory_descriptor",
      "A buffer in shared memory, or a view of one. Made by `ttgl.allocate_shared_memory`. Exists inside kernels "
      "only.",
      std::move(ofBuffers), /*isConstant=*/true);
  writeClass(stream, "tensor_memory_descriptor",
             "A buffer in tensor memory, or a view of one. Made by `ttgl.nvidia.blackwell.allocate_tensor_memory`. "
             "Exists inside kernels only.",
             std::move(ofMatrices), /*isConstant=*/true);
  stream << "\n\n__getattr__, __dir__ = _complete(__name__, _language)\n";
  return text;
}

std::string libdeviceModule() {
  std::vector<Stub> stubs;
  for (const Builtin &builtin : libdeviceFunctions()) {
    stubs.push_back(stubOf(builtin));
    stubs.back().documentation = libdeviceDocumentation(builtin);
  }
  return module("The functions of the target's device library.",
                "from .._kernel_only import builtin, kernel_only\nfrom ..types import tensor\n", stubs);
}

/// The examples of functions by their names in the reference, with lines that say how the file is written before them.
std::map<std::string, std::string> readExamples() {
  auto file = llvm::MemoryBuffer::getFile(root + "/src/frontend/lowering/builtins/Examples.txt", /*IsText=*/true);
  std::map<std::string, std::string> examples;
  llvm::SmallVector<llvm::StringRef> parts;
  (file ? (*file)->getBuffer() : "").split(parts, "\n== ");
  for (llvm::StringRef part : llvm::drop_begin(parts)) {
    auto [name, text] = part.split('\n');
    examples[name.str()] = text.rtrim().str();
  }
  return examples;
}

/// What shows a function at work: a picture of shapes if there is one, and the example.
void documentExample(llvm::raw_ostream &stream, const std::string &name,
                     const std::map<std::string, std::string> &examples) {
  auto example = examples.find(name);
  if (example == examples.end())
    return;
  std::string picture = "shapes/" + llvm::StringRef(name).rsplit('.').second.str() + ".svg";
  if (llvm::StringRef(name).starts_with("tl.") && llvm::sys::fs::exists(root + "/docs/" + picture))
    stream << "\n![" << name << " from left to right](" << picture << ")\n";
  stream << "\n```python\n" << example->second << "\n```\n";
}

/// A section of its own, so that links and the search of the site lead to the function.
void document(llvm::raw_ostream &stream, llvm::StringRef prefix, const Stub &stub,
              const std::map<std::string, std::string> &examples) {
  stream << "\n### `" << prefix << stub.name << "`\n\n```python\n"
         << prefix << stub.name << "(" << llvm::join(stub.parameters, ", ") << ")\n```\n\n"
         << wrap(stub.documentation, "") << '\n';
  documentExample(stream, (prefix + stub.name).str(), examples);
}

std::string reference() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "# The functions of the kernel language\n\nGenerated by `triton-generate-stubs` from the table of builtins "
            "and "
            "the prelude. Parameters\nmarked `constexpr` must be known at compile time.\n\nIn the examples, `x` is the "
            "block `[1.0, 2.0, 3.0, 4.0]`, `i` is `tl.arange(0, 4)` and `m` is `[[0, 1], [2, 3]]`. `p` points to\nthe "
            "float32 numbers 0 to 15, `q` to 16 int32 zeros, `add(a, b)` is a kernel function that returns `a + b`, "
            "and `Pair` an\naggregate with the fields `first` and `second`. A comment is the value of its line; a test "
            "compares it.\n";
  const std::map<std::string, std::string> examples = readExamples();
  const std::map<std::string, std::string> noExamples;
  llvm::StringRef group;
  for (const Builtin &builtin : builtins()) {
    if (builtin.name.starts_with("_"))
      continue;
    if (builtin.group != group)
      stream << "\n## " << builtin.group << '\n';
    group = builtin.group;
    Stub stub = stubOf(builtin);
    std::string module = builtin.flags & CoreOnly ? "tl.core." : stub.module;
    bool hasExamples = builtin.group != "Gluon"; // docs/gluon.md has those
    document(stream, builtin.flags & onlyMethods ? "." : module, stub, hasExamples ? examples : noExamples);
  }
  for (const PreludeFile &file : preludeFiles()) {
    stream << (file.module.ends_with(".random") ? "\n## Random numbers\n" : "\n## Written in the kernel language\n");
    for (const Stub &stub : stubsOf(file))
      document(stream, "tl.", stub, examples);
  }
  stream << "\n## Device library\n\nUnder `tl.extra.libdevice`:\n";
  for (const Builtin &builtin : libdeviceFunctions())
    stream << "`" << builtin.name << "`" << (&builtin == &libdeviceFunctions().back() ? ".\n" : ",\n");
  return text;
}

/// Writes the file, or compares it; false when it differs.
bool emitFile(const std::string &path, const std::string &text) {
  auto existing = llvm::MemoryBuffer::getFile(path);
  bool isCurrent = existing && (*existing)->getBuffer() == text;
  if (isCurrent)
    return true;
  if (check) {
    llvm::errs() << path << " is stale: run triton-generate-stubs " << root << '\n';
    return false;
  }
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error) {
    llvm::errs() << path << ": " << error.message() << '\n';
    return false;
  }
  stream << text;
  return true;
}

/// A module of the Python package triton.language.
bool emit(llvm::StringRef name, const std::string &text) {
  return emitFile(root + "/python/triton/language/" + name.str(), text);
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv, "writes the Python stubs and the reference of triton.language\n");
  bool allGood = emit("core.py", coreModule());
  allGood &= emit("math.py", mathModule());
  allGood &= emit("methods.py", methodsModule());
  allGood &= emit("extra/libdevice.py", libdeviceModule());
  allGood &= emit("extra/cuda/utils.py", vendorModule(CudaModule, "The functions that NVIDIA's GPUs alone have."));
  allGood &= emit("extra/hip/utils.py", vendorModule(HipModule, "The functions that AMD's GPUs alone have."));
  allGood &= emit("../experimental/gluon/language/_core.py", gluonFunctions());
  for (const PreludeFile &file : preludeFiles()) {
    bool isRandom = file.module.ends_with(".random");
    std::string text =
        module(isRandom ? "Random numbers." : "The functions that are written in the kernel language itself.",
               "from ._kernel_only import builtin, kernel_only\nfrom .types import constexpr\n", stubsOf(file));
    allGood &= emit(file.module.rsplit('.').second.str() + ".py", text);
  }
  allGood &= emitFile(root + "/docs/builtins.md", reference());
  return allGood ? 0 : 1;
}
