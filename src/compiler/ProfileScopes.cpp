#include "compiler/ProfileScopes.h"

#include "backends/ExtraOptions.h"
#include "ir/Dialect.h"
#include "ir/ProfileScopes.h"
#include "passes/tt/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace triton::compiler {

static constexpr char optionName[] = "profile_scopes";

namespace {

/// A scope or event that has begun in the present block.
struct Open {
  tt::GetTimeOp begin;
  std::string name;
  bool isEvent;
};

/// Replaces marks by code. The path of a scope has the names of those around it, separated by tabs.
class Instrumentation {
public:
  Instrumentation(tt::FuncOp kernel, llvm::function_ref<void(const base::StageMessage &)> mistake)
      : kernel(kernel), builder(kernel.getContext()), mistake(mistake) {}

  void run() {
    Type pointer = tt::PointerType::get(builder.getI64Type(), /*addressSpace=*/1);
    auto attributes = builder.getDictionaryAttr(builder.getNamedAttr("tt.divisibility", builder.getI32IntegerAttr(16)));
    [[maybe_unused]] LogicalResult inserted =
        kernel.insertArgument(kernel.getNumArguments(), pointer, attributes, kernel.getLoc());
    assert(succeeded(inserted) && "functions take any number of arguments");
    table = kernel.getArgument(kernel.getNumArguments() - 1);
    visit(kernel.getBody());
  }

  std::vector<std::string> paths;

private:
  void visit(Region &region) {
    for (Block &block : region)
      visit(block);
  }

  void visit(Block &block) {
    std::size_t outer = open.size();
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto time = dyn_cast<tt::GetTimeOp>(op))
        visit(time, outer);
      for (Region &region : op.getRegions())
        visit(region);
    }
    if (open.size() == outer)
      return;
    const Open &left = open.back();
    fail(left.begin, "the scope `" + left.name +
                         "` of the profiler has no end in the same block; begin and end a scope in the same "
                         "branch or loop body, and do not return within it");
  }

  void visit(tt::GetTimeOp time, std::size_t outer) {
    auto nameOf = [&](const char *attribute) { return time->getAttrOfType<StringAttr>(attribute); };
    bool isEvent = nameOf(tt::eventBeginAttribute) || nameOf(tt::eventEndAttribute);
    if (StringAttr begin = nameOf(isEvent ? tt::eventBeginAttribute : tt::scopeBeginAttribute)) {
      time->setAttr(tt::cyclesAttribute, builder.getUnitAttr());
      open.push_back({time, begin.str(), isEvent});
      return;
    }
    StringAttr end = nameOf(isEvent ? tt::eventEndAttribute : tt::scopeEndAttribute);
    if (!end)
      return;
    // An event ends the one of its name; a scope ends the innermost.
    std::size_t found = open.size();
    while (found > outer && (open[found - 1].isEvent != isEvent || (isEvent && open[found - 1].name != end.getValue())))
      --found;
    const Open *begun = found > outer ? &open[found - 1] : nullptr;
    if (!begun || begun->name != end.getValue())
      fail(time, "the scope `" + end.str() + "` of the profiler ends here, but " +
                     (begun ? "the innermost one that is open in this block is `" + begun->name + "`"
                            : "it does not begin in the same block"));
    time->setAttr(tt::cyclesAttribute, builder.getUnitAttr());
    addUp(begun->begin, time, pathOf(*begun));
    open.erase(open.begin() + std::ptrdiff_t(found - 1));
  }

  std::string pathOf(const Open &scope) {
    std::string path;
    for (const Open &around : open) {
      if (&around == &scope)
        break;
      if (!around.isEvent && !scope.isEvent)
        path += around.name + "\t";
    }
    return path + scope.name;
  }

  /// Adds the time and 1 to the two numbers of the scope.
  void addUp(tt::GetTimeOp begin, tt::GetTimeOp end, const std::string &path) {
    auto known = llvm::find(paths, path);
    auto number = int64_t(known - paths.begin());
    if (known == paths.end())
      paths.push_back(path);
    builder.setInsertionPointAfter(end);
    Location loc = end.getLoc();
    Value time = arith::SubIOp::create(builder, loc, end.getResult(), begin.getResult());
    Value one = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
    for (auto [place, value] : {std::pair(2 * number, time), std::pair(2 * number + 1, one)}) {
      Value offset = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(place)));
      Value address = tt::AddPtrOp::create(builder, loc, table.getType(), table, offset);
      tt::AtomicRMWOp::create(builder, loc, builder.getI64Type(), tt::RMWOp::Add, address, value, /*mask=*/Value(),
                              tt::MemSemantic::Relaxed, tt::MemSyncScope::GPU);
    }
  }

  [[noreturn]] void fail(tt::GetTimeOp at, const std::string &text) {
    base::StageMessage message{text, {}, {}, {}};
    message.place = base::findPlace(at.getLoc(), &message.callers);
    mistake(message);
    llvm_unreachable("a mistake ends the compilation");
  }

  tt::FuncOp kernel;
  OpBuilder builder;
  llvm::function_ref<void(const base::StageMessage &)> mistake;
  Value table;
  std::vector<Open> open; ///< of the present block and those around it
};

bool isMark(tt::GetTimeOp op) {
  return llvm::any_of(
      ArrayRef{tt::scopeBeginAttribute, tt::scopeEndAttribute, tt::eventBeginAttribute, tt::eventEndAttribute},
      [&](const char *attribute) { return op->hasAttr(attribute); });
}

} // namespace

llvm::Error instrumentScopes(ModuleOp module, const std::string &kernelName, const base::Options &options,
                             base::PassRunner &runner, std::vector<base::RuntimeArgument> &arguments,
                             llvm::function_ref<void(const base::StageMessage &)> mistake) {
  SmallVector<tt::GetTimeOp> marks;
  auto collect = [&] {
    marks.clear();
    module.walk([&](tt::GetTimeOp op) {
      if (isMark(op))
        marks.push_back(op);
    });
  };
  collect();
  if (marks.empty())
    return llvm::Error::success();
  if (!backends::isSet(options, optionName)) {
    for (tt::GetTimeOp mark : marks)
      mark.erase();
    return llvm::Error::success();
  }
  if (llvm::Error error =
          runner.run(module, "source", [](OpPassManager &passes) { passes.addPass(tt::createTritonInlineCalls()); }))
    return error;
  Instrumentation instrumentation(module.lookupSymbol<tt::FuncOp>(kernelName), mistake);
  instrumentation.run();
  base::RuntimeArgument table;
  table.name = scopeTablePrefix + llvm::join(instrumentation.paths, "\n");
  table.type = *base::parseElementType("*i64");
  table.divisibility = 16;
  arguments.push_back(std::move(table));
  return llvm::Error::success();
}

} // namespace triton::compiler
