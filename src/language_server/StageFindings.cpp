#include "language_server/StageFindings.h"

#include "base/Errors.h"
#include "compiler/Compiler.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::language_server {

namespace {

constexpr base::DiagnosticInfo stageError{"StageError", base::DiagnosticClass::Error, "", ""};

/// The place in the text that a rendered error names first, `file:line:column`, up to the end of its line.
std::optional<SourceRange> findPlace(llvm::StringRef rendered, const Source &text) {
  size_t at = rendered.find(text.fileName() + ":");
  if (at == llvm::StringRef::npos)
    return std::nullopt;
  llvm::StringRef place = rendered.drop_front(at + text.fileName().size() + 1);
  unsigned line = 0, column = 1;
  if (place.consumeInteger(10, line) || line == 0)
    return std::nullopt;
  if (place.consume_front(":"))
    place.consumeInteger(10, column);
  llvm::StringRef rest = text.text();
  for (; line > 1 && !rest.empty(); --line)
    rest = rest.split('\n').second;
  if (line > 1 || rest.empty()) // of another text, or at the end
    return std::nullopt;
  llvm::StringRef shown = rest.split('\n').first.split('#').first.rtrim();
  uint32_t begin = uint32_t(rest.data() - text.text().data());
  uint32_t end = begin + uint32_t(shown.size());
  return SourceRange{std::min(begin + std::max(column, 1u) - 1, end), end};
}

/// What a rendered error says to do.
std::string helpOf(llvm::StringRef rendered) {
  auto [before, help] = rendered.split("help: ");
  return help.split('\n').first.str();
}

} // namespace

std::optional<Finding> findStageError(const std::shared_ptr<const Source> &text,
                                      const std::shared_ptr<const frontend::Function> &function,
                                      const std::vector<frontend::KernelArgument> &arguments,
                                      const RunOptions &options) {
  const Environment environment; // what is shown does not depend on that of the editor
  compiler::CompileRequest request;
  request.function = function;
  request.arguments = arguments;
  request.lastStage = "ttgir";
  request.target = options.machine.target;
  request.options.numWarps = options.machine.numWarps;
  request.options.numStages = options.machine.numStages;
  request.isAbandoned = options.isCancelled;
  request.environment = &environment;
  try {
    compiler::compile(request);
  } catch (const base::CompilationError &error) {
    if (std::optional<SourceRange> place = findPlace(error.what(), *text))
      return Finding{Diagnostic(stageError, text, *place, error.message, helpOf(error.what())), true, ""};
  } catch (const std::exception &) {
    return std::nullopt; // A newer text, or a defect of the compiler, which a compilation shows.
  }
  return std::nullopt;
}

} // namespace triton::language_server
