// The interfaces of GPUOpInterfaces.td for operations of other dialects.
#include "gpu/ir/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::ttg {

Value conjoinMask(OpBuilder &builder, Location location, Value condition, Type pointers, Value mask) {
  Value all = condition;
  if (Type type = tt::getI1SameShape(pointers); isa<RankedTensorType>(type))
    all = tt::SplatOp::create(builder, location, type, condition);
  return mask ? Value(arith::AndIOp::create(builder, location, mask, all)) : all;
}

namespace {

template <typename Access>
struct PredicableAccess : PredicableOpInterface::ExternalModel<PredicableAccess<Access>, Access> {
  void predicate(Operation *op, OpBuilder &builder, Value condition) const {
    auto access = cast<Access>(op);
    access.getMaskMutable().assign(
        conjoinMask(builder, op->getLoc(), condition, access.getPtr().getType(), access.getMask()));
  }
};

/// Where the operation must not run, divides by one, because a divisor of zero is undefined.
template <typename Division>
struct PredicableDivision : PredicableOpInterface::ExternalModel<PredicableDivision<Division>, Division> {
  void predicate(Operation *op, OpBuilder &builder, Value condition) const {
    auto division = cast<Division>(op);
    Type type = division.getType();
    Location location = op->getLoc();
    TypedAttr one = builder.getOneAttr(type);
    Value divisor = arith::SelectOp::create(builder, location, condition, division.getRhs(),
                                            arith::ConstantOp::create(builder, location, one));
    division.getRhsMutable().assign(divisor);
  }
};

/// Takes the other branch, which must be allowed to run for any iteration; `mayRunAhead` checks that.
struct PredicableBranch : PredicableOpInterface::ExternalModel<PredicableBranch, scf::IfOp> {
  void predicate(Operation *op, OpBuilder &builder, Value condition) const {
    auto branch = cast<scf::IfOp>(op);
    branch.getConditionMutable().assign(arith::AndIOp::create(builder, op->getLoc(), branch.getCondition(), condition));
  }
};

/// Of an iteration that does not exist nothing is stated.
struct PredicableAssumption : PredicableOpInterface::ExternalModel<PredicableAssumption, LLVM::AssumeOp> {
  void predicate(Operation *op, OpBuilder &builder, Value condition) const {
    auto assumption = cast<LLVM::AssumeOp>(op);
    Value otherwise = arith::ConstantOp::create(builder, op->getLoc(), builder.getBoolAttr(true));
    assumption.getCondMutable().assign(
        arith::SelectOp::create(builder, op->getLoc(), condition, assumption.getCond(), otherwise));
  }
};

template <template <typename> typename Model, typename... Ops> void attach(MLIRContext &context) {
  (Ops::template attachInterface<Model<Ops>>(context), ...);
}

} // namespace

void attachInterfaceModels(MLIRContext &context) {
  attach<PredicableAccess, tt::LoadOp, tt::StoreOp>(context);
  attach<PredicableDivision, arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
         arith::FloorDivSIOp, arith::RemSIOp, arith::RemUIOp>(context);
  scf::IfOp::attachInterface<PredicableBranch>(context);
  LLVM::AssumeOp::attachInterface<PredicableAssumption>(context);
}

} // namespace triton::ttg
