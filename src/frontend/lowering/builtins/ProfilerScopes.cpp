#include "frontend/lowering/builtins/ProfilerScopes.h"
#include "frontend/LoweringDiagnostics.h"
#include "frontend/lowering/builtins/Functions.h"

#include "ir/ProfileScopes.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::frontend {
namespace {

using namespace builtin;

/// The name of a scope or an event, which profiles show.
std::string nameArgument(Lowering &lowering, CallArguments &arguments, llvm::StringRef parameter) {
  std::string name = stringArgument(lowering, arguments, parameter);
  auto isPrintable = [](char character) { return character >= 0x20 && character < 0x7F; };
  if (name.empty() || !llvm::all_of(name, isPrintable))
    lowering.error(arguments.range(parameter), diagnostics::ArgumentKind, arguments.builtin.displayName(),
                   parameter.str(), std::string("a string of printable ASCII characters"),
                   arguments[parameter].describe());
  return name;
}

/// A reading of the clock that says what it is for. Where nothing is profiled, it is removed again.
Value mark(Lowering &lowering, const char *attribute, const std::string &name) {
  auto time = lowering.create<tt::GetTimeOp>(lowering.builder.getI64Type());
  time->setAttr(attribute, lowering.builder.getStringAttr(name));
  return Value();
}

Value enterScope(Lowering &lowering, CallArguments &arguments) {
  return mark(lowering, tt::scopeBeginAttribute, nameArgument(lowering, arguments, "name"));
}
Value exitScope(Lowering &lowering, CallArguments &arguments) {
  return mark(lowering, tt::scopeEndAttribute, nameArgument(lowering, arguments, "name"));
}
Value allocateEvent(Lowering &lowering, CallArguments &arguments) {
  nameArgument(lowering, arguments, "name");
  return arguments["name"];
}
Value startEvent(Lowering &lowering, CallArguments &arguments) {
  return mark(lowering, tt::eventBeginAttribute, nameArgument(lowering, arguments, "event"));
}
Value endEvent(Lowering &lowering, CallArguments &arguments) {
  return mark(lowering, tt::eventEndAttribute, nameArgument(lowering, arguments, "event"));
}
/// `with scope(name):` is lowered as enter_scope and exit_scope.
Value scopeAlone(Lowering &lowering, CallArguments &) {
  lowering.error(diagnostics::UnsupportedStatement, llvm::StringRef("a scope outside of `with`"),
                 llvm::StringRef("write `with scope(\"name\"):`"));
}

Builtin functions[] = {
    {"enter_scope", "Profiler", profilerModule, NoFlags, "name: constexpr", "None", "Begins a scope.", enterScope},
    {"exit_scope", "Profiler", profilerModule, NoFlags, "name: constexpr", "None", "Ends a scope.", exitScope},
    {"scope", "Profiler", profilerModule, NoFlags, "name: constexpr", "None", "A scope, for `with`.", scopeAlone},
    {"allocate_event", "Profiler", profilerModule, NoFlags, "name: constexpr", "constexpr", "An event.", allocateEvent},
    {"start_event", "Profiler", profilerModule, NoFlags, "event: constexpr", "None", "Starts an event.", startEvent},
    {"end_event", "Profiler", profilerModule, NoFlags, "event: constexpr", "None", "Ends an event.", endEvent},
};

} // namespace

const Builtin *findProfilerFunction(llvm::StringRef name) {
  for (const Builtin &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

} // namespace triton::frontend
