// Registration of the dialect ttg, and what its module attributes say.
#include "gpu/ir/Dialect.h"

#include "gpu/ir/EverywhereInliner.h"
#include "gpu/ir/ForeignDialects.h"
#include "ir/AccessHints.h"
#include "ir/Spellings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "gpu/ir/TritonGPUDialect.cpp.inc"
#include "gpu/ir/TritonGPUInterfaces.cpp.inc"

#include "gpu/ir/GPUOpInterfaces.cpp.inc"

namespace triton::ttg {

void registerEncodingInference(TritonGPUDialect &dialect);
void registerKnownLayouts(TritonGPUDialect &dialect);
void attachInterfaceModels(MLIRContext &context);
void attachLayoutModels(MLIRContext &context);

namespace {

/// Constants of a partition stay in it: their layouts are over its warps.
struct ConstantPlaces : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  bool shouldMaterializeInto(Region *region) const override { return isa<WarpSpecializeOp>(region->getParentOp()); }
};

/// Encodings are printed at the top of the text, under a short name.
struct EncodingAliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, llvm::raw_ostream &stream) const override {
    llvm::StringRef name = llvm::TypeSwitch<Attribute, llvm::StringRef>(attribute)
                               .Case([](BlockedEncodingAttr) { return "blocked"; })
                               .Case([](MatrixEncodingInterface) { return "mma"; })
                               .Case([](SharedEncodingInterface) { return "shared"; })
                               .Case([](SharedMemorySpaceAttr) { return "smem"; })
                               .Case([](LinearEncodingAttr) { return "linear"; })
                               .Case([](foreign::TensorMemoryEncodingAttr) { return "tmem"; })
                               .Case([](foreign::TensorMemoryScalesEncodingAttr) { return "tmem_scales"; })
                               .Default([](Attribute) { return ""; });
    stream << name;
    return name.empty() ? AliasResult::NoAlias : AliasResult::FinalAlias;
  }
};

} // namespace

void TritonGPUDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerTritonGPUDialectOperations(this);
  registerEncodingInference(*this);
  registerKnownLayouts(*this);
  addInterfaces<EncodingAliases, EverywhereInliner, ConstantPlaces>();
  attachInterfaceModels(*getContext());
  attachLayoutModels(*getContext());
  getContext()->loadDialect<AmdgDialect, TtngDialect>();
}

/// `ttg.barrier local|global_read`: in Triton 3.9, the barrier says about which memories the threads must agree.
/// `gpu.barrier`, which replaces it, orders all memories.
static ParseResult parseBarrier(OpAsmParser &parser, OperationState &result) {
  static constexpr llvm::StringLiteral memories[] = {"none",        "local",        "global_read", "global_write",
                                                     "tensor_read", "tensor_write", "all"};
  do {
    llvm::StringRef memory;
    llvm::SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&memory))
      return failure();
    if (!llvm::is_contained(memories, memory))
      return parser.emitError(place) << "expected one of " << llvm::join(llvm::ArrayRef(memories), ", ") << ", not "
                                     << memory;
  } while (succeeded(parser.parseOptionalVerticalBar()));
  parser.getContext()->getOrLoadDialect<mlir::gpu::GPUDialect>();
  result.name = OperationName(mlir::gpu::BarrierOp::getOperationName(), parser.getContext());
  return parser.parseOptionalAttrDict(result.attributes);
}

std::optional<Dialect::ParseOpHook> TritonGPUDialect::getParseOperationHook(llvm::StringRef name) const {
  if (name == "ttg.barrier")
    return ParseOpHook(parseBarrier);
  if (name == "ttg.warp_return")
    return ParseOpHook(tt::parseRenamed<WarpYieldOp>);
  if (name == "ttg.global_scratch_alloc")
    return ParseOpHook(tt::parseRenamed<foreign::GlobalScratchAllocOp>);
  return std::nullopt;
}

Operation *TritonGPUDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  return arith::ConstantOp::materialize(builder, value, type, location);
}

static unsigned readModuleInteger(Operation *op, llvm::StringRef name, unsigned absent) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto attribute = module ? module->getAttrOfType<IntegerAttr>(name) : IntegerAttr();
  return attribute ? unsigned(attribute.getInt()) : absent;
}

unsigned getNumWarps(Operation *op) {
  for (Region *region = op->getParentRegion(); region; region = region->getParentRegion())
    if (auto parts = dyn_cast<WarpSpecializeOp>(region->getParentOp()); parts && region != &parts.getDefaultRegion())
      return unsigned(parts.getPartitionWarps()[region->getRegionNumber() - 1]);
  auto function = isa<tt::FuncOp>(op) ? cast<tt::FuncOp>(op) : op->getParentOfType<tt::FuncOp>();
  if (auto warps = function ? function->getAttrOfType<IntegerAttr>(numWarpsAttribute) : IntegerAttr())
    return unsigned(warps.getInt());
  return readModuleInteger(op, numWarpsAttribute, 4);
}

unsigned getLaunchWarps(Operation *op) { return readModuleInteger(op, launchWarpsAttribute, getNumWarps(op)); }

unsigned getResidentPrograms(Operation *op) { return readModuleInteger(op, residentProgramsAttribute, 1); }

unsigned getThreadsPerWarp(Operation *op) { return readModuleInteger(op, threadsPerWarpAttribute, 1); }

unsigned getNumCtas(Operation *op) { return readModuleInteger(op, numCtasAttribute, 1); }

} // namespace triton::ttg
