// Rewrites a function to the layouts that LayoutAssignment chose, see Passes.td.
#include "base/OptionalPass.h"
#include "gpu/analysis/LayoutRewriting.h"
#include "gpu/ir/Dialect.h"
#include "gpu/layouts/LayoutAssignment.h"
#include "gpu/layouts/LayoutRules.h"
#include "gpu/layouts/Passes.h"
#include "ir/Reached.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace triton::ttg {

#define GEN_PASS_DEF_TRITONGPUREMOVELAYOUTCONVERSIONS
#include "gpu/layouts/Passes.h.inc"

namespace {

class Rewriter {
public:
  Rewriter(FunctionOpInterface function, const analysis::AxisInfoAnalysis &facts, unsigned numStages)
      : assignment(function, facts, numStages) {
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ConvertLayoutOp>(op) || computesInAnyLayout(op))
        replaced.push_back(op);
    });
  }

  void run() {
    SmallVector<Attribute> wanted;
    for (const LayoutDemand &demand : assignment.demands())
      wanted.push_back(assignment.wantedLayout(demand));
    setVariableTypes();
    for (auto [demand, layout] : llvm::zip_equal(assignment.demands(), wanted))
      demand.operand->set(materialize(demand.operand->get(), layout));
    eraseOld();
  }

private:
  void setVariableTypes() {
    SmallVector<std::pair<Value, Attribute>> layouts;
    for (const LayoutVariable &variable : assignment.variables())
      for (Value member : variable.members)
        layouts.push_back({member, assignment.givenLayout(member)});
    for (auto [member, layout] : layouts)
      member.setType(withEncoding(cast<RankedTensorType>(member.getType()), layout));
  }

  using Key = std::pair<Value, Attribute>;

  /// Where the assignment's answer decides what is needed, it is kept: with what becomes available it may change.
  Value materialize(Value value, Attribute layout) {
    value = stripConversions(value);
    llvm::DenseMap<Key, Attribute> origins;
    visitReachedFirst(
        Key(value, layout), [&](Key key, SmallVectorImpl<Key> &needed) { origins[key] = appendNeeded(key, needed); },
        [&](Key key) {
          if (!made.contains(key))
            make(key, origins.at(key));
        });
    return made.at({value, layout});
  }

  /// Appends what the value is computed from, or itself in the layout from which it is converted, which is returned.
  Attribute appendNeeded(Key key, SmallVectorImpl<Key> &needed) {
    auto [value, layout] = key;
    if (made.contains(key) || assignment.givenLayout(value))
      return {};
    Attribute from = assignment.layoutSources().find(value, layout).from;
    if (from)
      needed.push_back({value, from});
    else
      for (Value operand : value.getDefiningOp()->getOperands())
        if (auto type = dyn_cast<RankedTensorType>(operand.getType()); type && type.getEncoding())
          needed.push_back({stripConversions(operand), inferOperandLayout(value.getDefiningOp(), layout)});
    return from;
  }

  /// When all that it needs is made.
  void make(Key key, Attribute from) {
    auto [value, layout] = key;
    if (Attribute given = assignment.givenLayout(value)) {
      made[key] = given == layout ? value : convertAfter(value, layout);
      return;
    }
    made[key] = from ? convertAfter(made.at({value, from}), layout) : compute(value, layout);
    assignment.layoutSources().makeAvailable(value, layout);
  }

  /// Inserts a conversion at the definition of the value: outside of loops that only use it.
  static Value convertAfter(Value value, Attribute layout) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    return convertTo(builder, value, layout);
  }

  /// Repeats the defining operation with results in `layout`.
  Value compute(Value value, Attribute layout) {
    Operation *op = value.getDefiningOp();
    Attribute operandLayout = inferOperandLayout(op, layout);
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.getType()); type && type.getEncoding())
        mapping.map(operand, made.at({stripConversions(operand), operandLayout}));
    OpBuilder builder(op);
    Operation *copy = builder.clone(*op, mapping);
    // The rule may return another name of the same layout.
    Attribute inferred = op->getNumOperands() && operandLayout ? inferResultLayout(op, operandLayout) : Attribute();
    for (auto [result, original] : llvm::zip_equal(copy->getResults(), op->getResults())) {
      auto type = cast<RankedTensorType>(original.getType());
      result.setType(withEncoding(type, inferred ? inferred : layout));
      if (auto constant = dyn_cast<arith::ConstantOp>(copy))
        constant.setValueAttr(
            cast<SplatElementsAttr>(constant.getValue()).resizeSplat(cast<ShapedType>(result.getType())));
      made[{original, layout}] = convertAfter(result, layout);
    }
    return made[{value, layout}];
  }

  /// Users follow the operations whose results they use.
  void eraseOld() {
    for (Operation *op : llvm::reverse(replaced)) {
      assert(op->use_empty() && "all uses are demands or of operations that were replaced");
      op->erase();
    }
  }

  LayoutAssignment assignment;
  SmallVector<Operation *> replaced;
  llvm::DenseMap<Key, Value> made;
};

struct TritonGPURemoveLayoutConversions : impl::TritonGPURemoveLayoutConversionsBase<TritonGPURemoveLayoutConversions>,
                                          base::OptionalPass {
  using TritonGPURemoveLayoutConversionsBase::TritonGPURemoveLayoutConversionsBase;

  void runOnOperation() override {
    if (!gpu::findTarget(getOperation()))
      return signalPassFailure();
    // Equal elements are counted once, so that runs that a program only states do not count.
    analysis::AxisInfoAnalysis facts(getOperation(), analysis::StatedRuns::Ignored);
    SmallVector<FunctionOpInterface> functions;
    getOperation().walk([&](FunctionOpInterface function) { functions.push_back(function); });
    for (FunctionOpInterface function : functions)
      if (!function.isExternal())
        Rewriter(function, facts, numStages).run();
  }
};

} // namespace

} // namespace triton::ttg
