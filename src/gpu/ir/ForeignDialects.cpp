#include "gpu/ir/ForeignDialects.h"

#include "gpu/ir/EverywhereInliner.h"
#include "ir/Spellings.h"

using namespace mlir;

namespace triton::ttg {

std::optional<Dialect::ParseOpHook> ForeignDialect::getParseOperationHook(llvm::StringRef name) const {
  getContext()->getOrLoadDialect<TritonGPUDialect>(); // has the operations that are made
  name.consume_front(getNamespace());
  name.consume_front(".");
  auto spelling = spellings.find(name);
  return spelling == spellings.end() ? std::nullopt : std::optional(ParseOpHook(spelling->second));
}

/// `%a, %b, %c, %useC {...} : type * type -> type`, where `%useC` may be missing.
static ParseResult parseWarpGroupDot(OpAsmParser &parser, OperationState &result) {
  result.name = OperationName(WarpGroupDotOp::getOperationName(), parser.getContext());
  OpAsmParser::UnresolvedOperand a, b, c, usesC;
  Type aType, bType, dType;
  if (parser.parseOperand(a) || parser.parseComma() || parser.parseOperand(b) || parser.parseComma() ||
      parser.parseOperand(c))
    return failure();
  bool hasCondition = succeeded(parser.parseOptionalComma());
  if ((hasCondition && parser.parseOperand(usesC)) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(aType) || parser.parseStar() || parser.parseType(bType) || parser.parseArrow() ||
      parser.parseType(dType) || parser.resolveOperand(a, aType, result.operands) ||
      parser.resolveOperand(b, bType, result.operands) || parser.resolveOperand(c, dType, result.operands))
    return failure();
  result.addTypes(dType);
  return hasCondition ? parser.resolveOperand(usesC, parser.getBuilder().getI1Type(), result.operands) : success();
}

/// `%x, %y {pendings = 0 : i32} : types`, those of the results as well.
static ParseResult parseWarpGroupDotWait(OpAsmParser &parser, OperationState &result) {
  result.name = OperationName(WarpGroupDotWaitOp::getOperationName(), parser.getContext());
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperandList(inputs) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseOptionalColonTypeList(result.types))
    return failure();
  result.attributes.erase("warpGroupLocal"); // Products are waited for by the warps that started them.
  return parser.resolveOperands(inputs, result.types, place, result.operands);
}

/// `{name = true}`, which is the attribute `ours` where it is set.
template <typename Op>
static ParseResult parseFlag(OpAsmParser &parser, OperationState &result, llvm::StringRef name, llvm::StringRef ours) {
  result.name = OperationName(Op::getOperationName(), parser.getContext());
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (auto flag = dyn_cast_or_null<BoolAttr>(result.attributes.erase(name)); flag && flag.getValue())
    result.addAttribute(ours, parser.getBuilder().getUnitAttr());
  return success();
}

static ParseResult parseFence(OpAsmParser &parser, OperationState &result) {
  return parseFlag<FenceAsyncSharedOp>(parser, result, "bCluster", "ofCluster");
}

static ParseResult parseClusterBarrier(OpAsmParser &parser, OperationState &result) {
  return parseFlag<ClusterBarrierOp>(parser, result, "relaxed", "relaxed");
}

/// `{pendings = 0 : i32, read_only}`
static ParseResult parseStoreWait(OpAsmParser &parser, OperationState &result) {
  result.name = OperationName(AsyncStoreWaitOp::getOperationName(), parser.getContext());
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (Attribute onlyReads = result.attributes.erase("read_only"))
    result.addAttribute("onlyReads", onlyReads);
  return success();
}

TtngDialect::TtngDialect(MLIRContext *context)
    : ForeignDialect(getDialectNamespace(), context, TypeID::get<TtngDialect>()) {
  spellings = {{"warp_group_dot", parseWarpGroupDot},
               {"warp_group_dot_wait", parseWarpGroupDotWait},
               {"fence_async_shared", parseFence},
               {"cluster_barrier", parseClusterBarrier},
               {"async_tma_store_wait", parseStoreWait}};
  registerAttributes();
  addInterfaces<EverywhereInliner>();
  addOperations<
#define GET_OP_LIST
#include "gpu/ir/ForeignOps.cpp.inc"
      >();
}

/// Only one kind of arrival is there: threads are among those for which a phase waits.
static ParseResult parseArrivalOfCopies(OpAsmParser &parser, OperationState &result) {
  result.addAttribute("noIncrement", parser.getBuilder().getUnitAttr());
  return tt::parseRenamed<foreign::AsyncCopyMbarrierArriveOp>(parser, result);
}

AmdgDialect::AmdgDialect(MLIRContext *context)
    : ForeignDialect(getDialectNamespace(), context, TypeID::get<AmdgDialect>()) {
  spellings = {{"buffer_load", tt::parseRenamed<BufferLoadOp>},
               {"buffer_store", tt::parseRenamed<BufferStoreOp>},
               {"buffer_atomic_rmw", tt::parseRenamed<BufferAtomicRMWOp>},
               {"init_barrier", tt::parseRenamed<foreign::InitBarrierOp>},
               {"wait_barrier", tt::parseRenamed<foreign::WaitBarrierOp>},
               {"async_copy_mbarrier_arrive", parseArrivalOfCopies},
               {"scaled_upcast_fp4", tt::parseRenamed<Fp4ToFpOp>},
               {"scaled_upcast_fp8", tt::parseRenamed<Fp8ToFpOp>},
               // Only registers of a thread change.
               {"in_thread_transpose", tt::parseRenamed<ConvertLayoutOp>}};
  addInterfaces<EverywhereInliner>();
  addOperations<
#define GET_OP_LIST
#include "gpu/ir/AmdgOps.cpp.inc"
      >();
}

} // namespace triton::ttg

#define GET_OP_CLASSES
#include "gpu/ir/AmdgOps.cpp.inc"
