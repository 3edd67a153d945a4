#include "compiler/ProfileScopes.h"

#include "compiler/ScopeRecords.h"
#include "ir/AttributeNames.h"
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
  Instrumentation(tt::FuncOp kernel, const ScopeOptions &options, bool isOnGpu, unsigned warps,
                  llvm::function_ref<void(const base::StageMessage &)> mistake)
      : kernel(kernel), options(options), isOnGpu(isOnGpu), builder(kernel.getContext()), mistake(mistake) {
    scopes.records = options.records;
    warpsOfUnit = isOnGpu && options.warpsOfUnit != 0 ? std::min(options.warpsOfUnit, warps) : warps;
    if (isOnGpu)
      scopes.units = (warps + warpsOfUnit - 1) / warpsOfUnit;
  }

  void run() {
    Type pointer = tt::PointerType::get(builder.getI64Type(), /*addressSpace=*/1);
    auto attributes =
        builder.getDictionaryAttr(builder.getNamedAttr(tt::divisibilityAttribute, builder.getI32IntegerAttr(16)));
    [[maybe_unused]] LogicalResult inserted =
        kernel.insertArgument(kernel.getNumArguments(), pointer, attributes, kernel.getLoc());
    assert(succeeded(inserted) && "functions take any number of arguments");
    table = kernel.getArgument(kernel.getNumArguments() - 1);
    if (scopes.records != 0)
      findBuffers();
    visit(kernel.getBody());
    if (sums)
      sums.setValueAttr(builder.getI64IntegerAttr(scopes.sums()));
  }

  ScopeTable scopes;

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
    note(begun->begin, time, pathOf(*begun));
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

  void note(tt::GetTimeOp begin, tt::GetTimeOp end, const std::string &path) {
    auto known = llvm::find(scopes.paths, path);
    auto number = int64_t(known - scopes.paths.begin());
    if (known == scopes.paths.end())
      scopes.paths.push_back(path);
    builder.setInsertionPointAfter(end);
    addUp(begin, end, number);
    if (scopes.records == 0)
      return;
    if (isOnGpu)
      recordOfWarps(begin, end.getLoc(), number);
    else
      record(begin, end, number);
  }

  Value constant(Location loc, int64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  }

  Value moved(Location loc, Value pointer, Value numbers) {
    return tt::AddPtrOp::create(builder, loc, pointer.getType(), pointer, numbers);
  }

  Value add(Location loc, Value address, Value value) {
    return tt::AtomicRMWOp::create(builder, loc, builder.getI64Type(), tt::RMWOp::Add, address, value,
                                   /*mask=*/Value(), tt::MemSemantic::Relaxed, tt::MemSyncScope::GPU);
  }

  /// Adds the time and 1 to the two numbers of the scope.
  void addUp(tt::GetTimeOp begin, tt::GetTimeOp end, int64_t number) {
    Location loc = end.getLoc();
    Value time = arith::SubIOp::create(builder, loc, end.getResult(), begin.getResult());
    Value one = constant(loc, 1);
    for (auto [place, value] : {std::pair(2 * number, time), std::pair(2 * number + 1, one)})
      add(loc, moved(loc, table, constant(loc, place)), value);
  }

  /// The address of the program's buffers. How many scopes there are is not known yet.
  void findBuffers() {
    Location loc = kernel.getLoc();
    builder.setInsertionPointToStart(&kernel.getBody().front());
    Value program;
    for (tt::ProgramDim axis : {tt::ProgramDim::Z, tt::ProgramDim::Y, tt::ProgramDim::X}) {
      auto wide = [&](Value value) -> Value {
        return arith::ExtSIOp::create(builder, loc, builder.getI64Type(), value);
      };
      Value id = wide(tt::GetProgramIdOp::create(builder, loc, axis));
      if (!program) {
        program = id;
        continue;
      }
      Value count = wide(tt::GetNumProgramsOp::create(builder, loc, axis));
      program = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, program, count), id);
    }
    sums = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
    Value size = constant(loc, int64_t(scopes.units) * scopes.numbersOfUnit());
    Value offset = arith::MulIOp::create(builder, loc, program, size);
    buffers = moved(loc, table, arith::AddIOp::create(builder, loc, offset, sums));
  }

  /// Each unit of warps has a clock and a buffer of its own.
  void recordOfWarps(tt::GetTimeOp begin, Location loc, int64_t number) {
    Operation *op = add(loc, buffers, begin.getResult()).getDefiningOp();
    SmallVector<int64_t> numbers{number, scopes.records, options.keepsLatest, warpsOfUnit};
    numbers.append(options.selection.begin(), options.selection.end());
    op->setAttr(tt::recordAttribute, builder.getDenseI64ArrayAttr(numbers));
  }

  void record(tt::GetTimeOp begin, tt::GetTimeOp end, int64_t number) {
    if (!options.selection.empty() && !llvm::is_contained(options.selection, 0U))
      return;
    Location loc = end.getLoc();
    Value room = constant(loc, scopes.records);
    Value slot = add(loc, buffers, constant(loc, 1)), mask;
    if (options.keepsLatest)
      slot = arith::RemUIOp::create(builder, loc, slot, room);
    else
      mask = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, slot, room);
    Value offset = arith::MulIOp::create(builder, loc, slot, constant(loc, ScopeTable::numbersOfRecord));
    Value place = moved(loc, buffers, offset);
    Value words[] = {constant(loc, number), begin.getResult(), end.getResult()};
    for (auto [index, value] : llvm::enumerate(words))
      tt::StoreOp::create(builder, loc, moved(loc, place, constant(loc, int64_t(1 + index))), value, mask);
  }

  [[noreturn]] void fail(tt::GetTimeOp at, const std::string &text) {
    base::StageMessage message{text, {}, {}, {}};
    message.place = base::findPlace(at.getLoc(), &message.callers);
    mistake(message);
    llvm_unreachable("a mistake ends the compilation");
  }

  tt::FuncOp kernel;
  const ScopeOptions &options;
  const bool isOnGpu;
  unsigned warpsOfUnit = 1;
  OpBuilder builder;
  llvm::function_ref<void(const base::StageMessage &)> mistake;
  Value table, buffers;
  arith::ConstantOp sums; ///< the number of the table's words before the buffers
  std::vector<Open> open; ///< of the present block and those around it
};

bool isMark(tt::GetTimeOp op) {
  return llvm::any_of(
      ArrayRef{tt::scopeBeginAttribute, tt::scopeEndAttribute, tt::eventBeginAttribute, tt::eventEndAttribute},
      [&](const char *attribute) { return op->hasAttr(attribute); });
}

/// Makes each matrix product a scope.
void markProducts(ModuleOp module) {
  OpBuilder builder(module.getContext());
  module.walk([&](Operation *op) {
    if (!isa<tt::DotOp, tt::DotScaledOp>(op))
      return;
    for (const char *attribute : {tt::scopeBeginAttribute, tt::scopeEndAttribute}) {
      if (attribute == tt::scopeBeginAttribute)
        builder.setInsertionPoint(op);
      else
        builder.setInsertionPointAfter(op);
      auto time = tt::GetTimeOp::create(builder, op->getLoc(), builder.getI64Type());
      time->setAttr(attribute, builder.getStringAttr("mma"));
    }
  });
}

} // namespace

/// Those of a launch: where warps part, a kernel in Gluon has further ones.
static unsigned countWarps(ModuleOp module, unsigned warps) {
  constexpr unsigned warpsOfGroup = 4; // which change their registers together
  module.walk([&](Operation *op) {
    auto partitions = op->getAttrOfType<DenseI32ArrayAttr>("partitionWarps");
    if (!partitions)
      return;
    for (int32_t count : partitions.asArrayRef())
      warps = llvm::alignTo(warps, std::min(unsigned(count), warpsOfGroup)) + unsigned(count);
    warps = llvm::alignTo(warps, warpsOfGroup);
  });
  return warps;
}

llvm::Error instrumentScopes(ModuleOp module, const std::string &kernelName, bool isOnGpu, const base::Options &options,
                             base::PassRunner &runner, std::vector<base::RuntimeArgument> &arguments,
                             llvm::function_ref<void(const base::StageMessage &)> mistake) {
  auto given = options.extra.find(optionName);
  llvm::Expected<ScopeOptions> scopes = parseScopeOptions(given == options.extra.end() ? "scopes" : given->second);
  if (!scopes)
    return scopes.takeError();
  if (scopes->products)
    markProducts(module);
  SmallVector<tt::GetTimeOp> marks;
  module.walk([&](tt::GetTimeOp op) {
    if (isMark(op))
      marks.push_back(op);
  });
  if (marks.empty())
    return llvm::Error::success();
  if (given == options.extra.end()) {
    for (tt::GetTimeOp mark : marks)
      mark.erase();
    return llvm::Error::success();
  }
  if (llvm::Error error =
          runner.run(module, "source", [](OpPassManager &passes) { passes.addPass(tt::createTritonInlineCalls()); }))
    return error;
  Instrumentation instrumentation(module.lookupSymbol<tt::FuncOp>(kernelName), *scopes, isOnGpu,
                                  countWarps(module, unsigned(options.numWarps)), mistake);
  instrumentation.run();
  base::RuntimeArgument table;
  table.name = instrumentation.scopes.argumentName();
  table.type = *base::parseElementType("*i64");
  table.divisibility = 16;
  arguments.push_back(std::move(table));
  return llvm::Error::success();
}

} // namespace triton::compiler
