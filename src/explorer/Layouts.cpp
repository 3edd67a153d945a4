#include "explorer/Layouts.h"

#include "gpu/ir/Dialect.h"
#include "ir/Dialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/SourceMgr.h"

using namespace triton;
using namespace triton::explorer;
using llvm::json::Array;
using llvm::json::Object;

namespace {

/// The values that have a type.
struct Uses {
  std::vector<std::string> names;
  std::vector<unsigned> lines;
};

} // namespace

static mlir::Attribute encodingOf(mlir::Type type) {
  if (auto buffer = llvm::dyn_cast<ttg::MemDescType>(type))
    return buffer.getEncoding();
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? tensor.getEncoding() : nullptr;
}

template <typename Printable> static std::string print(Printable printable) {
  std::string text;
  llvm::raw_string_ostream(text) << printable;
  return text;
}

static Array toJson(llvm::ArrayRef<int64_t> numbers) {
  Array array;
  for (int64_t number : numbers)
    array.push_back(number);
  return array;
}

static Array describeInputs(const layout::LinearLayout &linear) {
  Array inputs;
  for (const layout::Input &input : linear.inputs()) {
    Array bases;
    for (const layout::Basis &basis : input.bases) {
      Array components;
      for (int32_t component : basis)
        components.push_back(component);
      bases.push_back(std::move(components));
    }
    inputs.push_back(Object{{"name", input.name}, {"bases", std::move(bases)}});
  }
  return inputs;
}

static Object describe(mlir::Type type, const Uses &uses) {
  mlir::Attribute encoding = encodingOf(type);
  auto shaped = llvm::cast<mlir::ShapedType>(type);
  llvm::ArrayRef<int64_t> shape = shaped.getShape().take_back(ttg::getEncodingRank(encoding));
  mlir::Type element = shaped.getElementType();
  Array names, lines;
  for (const std::string &name : uses.names)
    names.push_back(name);
  for (unsigned line : uses.lines)
    lines.push_back(line);
  return Object{{"type", print(type)},
                {"shape", toJson(shape)},
                {"element", print(element)},
                {"element_bits", element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64},
                {"encoding", print(encoding)},
                {"is_shared", llvm::isa<ttg::MemDescType>(type)},
                {"values", std::move(names)},
                {"lines", std::move(lines)},
                {"inputs", describeInputs(ttg::toLinearLayout(shape, encoding))}};
}

Array explorer::describeLayouts(llvm::StringRef ttgir) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<tt::TritonDialect, ttg::TritonGPUDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                      mlir::math::MathDialect, mlir::scf::SCFDialect>();
  mlir::ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) {});
  llvm::SourceMgr sources;
  unsigned buffer = sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(ttgir), llvm::SMLoc());
  mlir::AsmParserState state;
  mlir::Block block;
  if (ttgir.empty() || mlir::failed(mlir::parseAsmSourceFile(sources, &block, &context, &state)))
    return {};
  llvm::MapVector<mlir::Type, Uses> found;
  auto add = [&](llvm::SMRange name, mlir::Type type) {
    if (!encodingOf(type))
      return;
    Uses &uses = found[type];
    uses.names.emplace_back(name.Start.getPointer(), name.End.getPointer());
    uses.lines.push_back(sources.getLineAndColumn(name.Start, buffer).first);
  };
  for (const auto &definition : state.getBlockDefs())
    for (auto [argument, value] : llvm::zip(definition.arguments, definition.block->getArguments()))
      add(argument.loc, value.getType());
  for (const auto &definition : state.getOpDefs())
    for (const auto &group : definition.resultGroups)
      add(group.definition.loc, definition.op->getResult(group.startIndex).getType());
  Array layouts;
  for (const auto &[type, uses] : found)
    layouts.push_back(describe(type, uses));
  return layouts;
}
