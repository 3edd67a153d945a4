#include "language_server/KernelLayouts.h"

#include "base/Errors.h"
#include "base/StageError.h"
#include "compiler/Compiler.h"
#include "frontend/lowering/Value.h"
#include "gpu/ir/PlacedLayouts.h"
#include "language_server/CallGraph.h"
#include "layout/Words.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SetVector.h"

namespace triton::language_server {

using LineAndColumn = std::pair<unsigned, unsigned>;

const ValueLayouts *KernelLayouts::find(const std::string &kernel, SourceRange range, llvm::StringRef type) const {
  auto found = byKernel.find(kernel);
  if (found == byKernel.end())
    return nullptr;
  for (const ValueLayouts &value : found->second)
    if (value.range == range && value.type == type)
      return &value;
  return nullptr;
}

namespace {

template <typename Printable> std::string print(Printable printable) {
  std::string text;
  llvm::raw_string_ostream(text) << printable;
  return text;
}

/// What a tensor keeps through all passes.
std::string shapeText(mlir::ShapedType type) {
  return llvm::join(llvm::map_range(type.getShape(), [](int64_t size) { return std::to_string(size); }), "x") + "x" +
         print(type.getElementType());
}

std::string describeLayout(ttg::LaidOutType type) {
  bool isShared = llvm::isa<ttg::MemDescType>(type.type);
  return (isShared ? "in shared memory, `" : "`") + print(type.encoding()) +
         "`: " + llvm::join(layout::describeInWords(type.linear()), "; ");
}

/// The types with layouts in a module of TTGIR, by the place of the text that they come from and their shape.
class LayoutTable {
public:
  LayoutTable(mlir::ModuleOp module, llvm::StringRef fileName) {
    for (const ttg::PlacedLayout &placed : ttg::placedLayouts(module))
      if (placed.file == fileName) {
        std::string shape = shapeText(llvm::cast<mlir::ShapedType>(placed.type.type));
        types[{{placed.line, placed.column}, shape}].insert(placed.type.type);
      }
  }

  llvm::ArrayRef<mlir::Type> at(LineAndColumn place, const std::string &shape) const {
    auto found = types.find({place, shape});
    return found == types.end() ? llvm::ArrayRef<mlir::Type>() : found->second.getArrayRef();
  }

private:
  std::map<std::pair<LineAndColumn, std::string>, llvm::SetVector<mlir::Type>> types;
};

/// A tensor that a name of the document denotes.
struct Occurrence {
  ValueLayouts value;
  size_t kernel;       ///< that holds it
  std::string name;    ///< with its type, to be known from others
  std::string shape;   ///< as shapeText gives it
  LineAndColumn place; ///< where the value is computed
};

/// Collects them.
class TensorObserver final : public frontend::LoweringObserver {
public:
  TensorObserver(const Syntax &document, const KernelKeys &keys) : document(document), keys(keys) {}

  void onValue(const Source &source, SourceRange range, const frontend::Value &value) override {
    const frontend::Tensor *tensor = value.tensor();
    auto type = tensor ? llvm::dyn_cast<mlir::RankedTensorType>(tensor->value.getType()) : nullptr;
    std::optional<size_t> kernel = keys.holder(range);
    if (!type || !kernel || &source != document.source.get())
      return;
    uint32_t begin = keys.begin(*kernel);
    base::SourcePlace place = base::findPlace(tensor->value.getLoc());
    std::string typeText = tensor->type.str();
    occurrences.push_back({{{range.begin - begin, range.end - begin}, typeText, {}},
                           *kernel,
                           (keys.key(*kernel) + " " + source.text(range) + ": " + typeText).str(),
                           shapeText(type),
                           {place.line, place.column}});
  }

  void onDiagnostic(const Diagnostic &diagnostic) override { hasErrors |= diagnostic.isError(); }
  void onLeftOut(const Source &, SourceRange) override { hasErrors = true; }

  std::vector<Occurrence> occurrences;
  bool hasErrors = false;

private:
  const Syntax &document;
  const KernelKeys &keys;
};

/// The module after the passes that choose layouts; null where they fail.
mlir::OwningOpRef<mlir::ModuleOp> runPasses(mlir::ModuleOp module, const Machine &machine,
                                            const std::atomic<bool> *isAbandoned) {
  const Environment environment; // what is shown does not depend on that of the editor
  compiler::CompileRequest request;
  llvm::raw_string_ostream stream(request.irText);
  module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  request.irStage = "ttir";
  request.lastStage = "ttgir";
  request.target = machine.target;
  request.options.numWarps = machine.numWarps;
  request.options.numStages = machine.numStages;
  request.isAbandoned = isAbandoned;
  request.environment = &environment;
  auto compiled = compiler::compile(request);
  ttg::loadTextDialects(*module.getContext());
  return mlir::parseSourceString<mlir::ModuleOp>(compiled->artifacts.at(request.lastStage), module.getContext());
}

KernelLayouts readLayouts(std::vector<Occurrence> occurrences, const LayoutTable &table, const KernelKeys &keys) {
  std::map<std::string, std::vector<std::string>> byName;
  for (Occurrence &occurrence : occurrences) {
    for (mlir::Type type : table.at(occurrence.place, occurrence.shape))
      if (std::string text = describeLayout({type}); !llvm::is_contained(occurrence.value.layouts, text))
        occurrence.value.layouts.push_back(std::move(text));
    if (!occurrence.value.layouts.empty())
      byName.try_emplace(occurrence.name, occurrence.value.layouts);
  }
  KernelLayouts result;
  for (Occurrence &occurrence : occurrences) {
    const std::string &kernel = keys.key(occurrence.kernel);
    // Values that loops carry, and constants, have no place of their own: they are as other values of the name.
    if (auto named = byName.find(occurrence.name); occurrence.value.layouts.empty() && named != byName.end())
      occurrence.value.layouts = named->second;
    if (!occurrence.value.layouts.empty() && !result.find(kernel, occurrence.value.range, occurrence.value.type))
      result.byKernel[kernel].push_back(std::move(occurrence.value));
  }
  return result;
}

} // namespace

KernelLayouts findLayouts(const LayoutQuestion &question, const std::atomic<bool> *isAbandoned) {
  const Syntax &syntax = question.document->syntax();
  KernelKeys keys(syntax);
  TensorObserver observer(syntax, keys);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler silent(&context, [](mlir::Diagnostic &) {});
  try {
    auto module = frontend::lowerKernel(context, *question.kernel, question.arguments,
                                        loweringOptions(question.machine, observer, isAbandoned), "kernel");
    if (observer.hasErrors)
      return {};
    module = runPasses(*module, question.machine, isAbandoned);
    if (!module)
      return {};
    LayoutTable table(*module, syntax.source->fileName());
    return readLayouts(std::move(observer.occurrences), table, keys);
  } catch (const CompilationAbandoned &) {
    throw;
  } catch (const std::exception &) { // a kernel that does not compile has no layouts
    return {};
  }
}

} // namespace triton::language_server
