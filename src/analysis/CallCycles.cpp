#include "analysis/CallCycles.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace triton::analysis {

namespace {

class CycleSearch {
public:
  explicit CycleSearch(ModuleOp module) : symbols(module) {}

  CallOpInterface visit(Operation *function) {
    auto [known, isNew] = states.try_emplace(function, State::Open);
    if (!isNew)
      return {};
    CallOpInterface found;
    function->walk([&](CallOpInterface call) {
      auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
      Operation *callee = name ? symbols.lookup(name.getLeafReference()) : nullptr;
      if (!callee || !isa<FunctionOpInterface>(callee))
        return WalkResult::advance();
      auto state = states.find(callee);
      found = state != states.end() && state->second == State::Open ? call : visit(callee);
      return found ? WalkResult::interrupt() : WalkResult::advance();
    });
    states[function] = State::Done;
    return found;
  }

private:
  enum class State : uint8_t { Open, Done };
  SymbolTable symbols;
  llvm::DenseMap<Operation *, State> states;
};

} // namespace

LogicalResult refuseRecursion(ModuleOp module) {
  CycleSearch search(module);
  for (auto function : module.getOps<FunctionOpInterface>())
    if (CallOpInterface call = search.visit(function))
      return call.emitError()
             << "a function calls itself here, also through others, which kernels cannot; write a loop";
  return success();
}

} // namespace triton::analysis
