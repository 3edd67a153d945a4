#include "gpu/ir/NamedValues.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace triton;
using namespace triton::ttg;

Attribute LaidOutType::encodingOf(Type type) {
  if (auto buffer = dyn_cast<MemDescType>(type))
    return buffer.getEncoding();
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getEncoding() : nullptr;
}

void ttg::loadTextDialects(MLIRContext &context) {
  context.loadDialect<tt::TritonDialect, TritonGPUDialect, arith::ArithDialect, cf::ControlFlowDialect,
                      math::MathDialect, scf::SCFDialect>();
}

std::optional<std::vector<NamedValue>> ttg::parseNamedValues(llvm::StringRef text, MLIRContext &context) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
  AsmParserState state;
  Block block;
  if (failed(parseAsmSourceFile(sources, &block, &context, &state)))
    return std::nullopt;
  std::vector<NamedValue> found;
  auto add = [&](llvm::SMRange name, Value value, unsigned place, unsigned count) {
    std::string spelled(name.Start.getPointer(), name.End.getPointer());
    if (LaidOutType::encodingOf(value.getType()))
      found.push_back({count > 1 ? spelled + "#" + std::to_string(place) : spelled, {value.getType()}});
  };
  for (const auto &definition : state.getBlockDefs())
    for (auto [argument, value] : llvm::zip(definition.arguments, definition.block->getArguments()))
      add(argument.loc, value, 0, 1);
  for (const auto &definition : state.getOpDefs())
    for (auto [group, next] : llvm::enumerate(definition.resultGroups)) {
      unsigned end = group + 1 < definition.resultGroups.size() ? definition.resultGroups[group + 1].startIndex
                                                                : definition.op->getNumResults();
      for (unsigned result = next.startIndex; result < end; ++result)
        add(next.definition.loc, definition.op->getResult(result), result - next.startIndex, end - next.startIndex);
    }
  return found;
}
