// The functions of libdevice for machines without libdevice. The host computes them.
#include "numerics/LibdeviceFunctions.h"
#include "simulator/core/Numerics.h"
#include "simulator/core/Warp.h"
#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/StringMap.h"

#include <tuple>
#include <utility>

namespace triton::simulator::nvptx {

namespace {

/// Applies a stateless `Function` to the operands of each lane. NaN results become the hardware's NaN, except those of
/// exact functions.
template <bool exact, typename Function, typename Result, typename... Operands> struct PerLaneOf {
  static void execute(Warp &warp, const DecodedInstruction &instruction) {
    call(warp, *static_cast<const OperandList *>(instruction.detail), std::index_sequence_for<Operands...>());
  }
  static LibdeviceFunction describe() { return {&execute, sizeof(Result), {sizeof(Operands)...}}; }

private:
  template <std::size_t... i>
  static void call(Warp &warp, const OperandList &list, std::index_sequence<i...> /*indices*/) {
    std::tuple<const Operands *...> operands{warp.read<Operands>(list.inputs[i])...};
    warp.forEachLane<Result>(list.outputs.front(), [=](unsigned lane) -> Result {
      Result result = Function()(std::get<i>(operands)[lane]...);
      if constexpr (std::is_same_v<Result, float> && !exact)
        return canonical(result);
      return result;
    });
  }
};

template <bool exact, typename Function, typename Result, typename... Operands>
PerLaneOf<exact, Function, Result, Operands...> perLane(Result (Function::*)(Operands...) const);

class Table {
public:
  Table() { numerics::addLibdeviceFunctions(*this); }

  const LibdeviceFunction *find(llvm::StringRef name) const {
    auto found = functions.find(name);
    return found == functions.end() ? nullptr : &found->second;
  }

  template <typename Function> void add(std::string_view name, Function /*function*/) {
    functions.try_emplace(name, decltype(perLane<false, Function>(&Function::operator()))::describe());
  }
  template <typename Function> void addExact(std::string_view name, Function /*function*/) {
    functions.try_emplace(name, decltype(perLane<true, Function>(&Function::operator()))::describe());
  }

private:
  llvm::StringMap<LibdeviceFunction> functions;
};

} // namespace

const LibdeviceFunction *findLibdeviceFunction(llvm::StringRef name) {
  static const Table table;
  return table.find(name);
}

} // namespace triton::simulator::nvptx
