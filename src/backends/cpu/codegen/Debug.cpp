// device_print and device_assert: calls of the runtime, see runtime/CpuRuntimeFunctions.h.
#include "backends/cpu/codegen/Lowering.h"

#include "backends/cpu/runtime/CpuRuntimeFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace triton::cpu {

LLVM::LLVMFuncOp runtimeFunction(Lowering &lowering, llvm::StringRef name, ArrayRef<Type> arguments, Type result) {
  OpBuilder &b = lowering.b;
  auto module = lowering.kernel->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(
      b, lowering.kernel.getLoc(), name,
      LLVM::LLVMFunctionType::get(result ? result : LLVM::LLVMVoidType::get(b.getContext()), arguments));
}

static Value globalString(Lowering &lowering, Location loc, llvm::StringRef text) {
  std::string name = (lowering.kernel.getName() + ".string." + llvm::Twine(lowering.programs.stringCount++)).str();
  std::string terminated = text.str() + '\0';
  return LLVM::createGlobalString(loc, lowering.b, name, terminated, LLVM::Linkage::Internal);
}

/// The elements of a row-major buffer of a narrow float type as f32.
static Buffer widenedCopy(Lowering &lowering, Location loc, const Buffer &narrow, ArrayRef<int64_t> shape) {
  Buffer wide = narrow;
  wide.elementType = lowering.b.getF32Type();
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  wide.base = allocateBytes(lowering, 4 * count);
  openNest(lowering);
  overElements(lowering, loc, shape, [&](const TileIndex &index) {
    Value value = readBuffer(lowering, loc, narrow, index).value;
    writeBuffer(lowering, loc, wide, index, Lanes::uniform(lowering.lanes.widen(loc, value, narrow.elementType)));
  });
  closeNest(lowering);
  return wide;
}

static TritonCpuElementKind kindOf(Type type, bool isSigned) {
  if (isa<tt::PointerType>(type))
    return TritonCpuPointer;
  if (type.isBF16())
    return TritonCpuBFloat16;
  if (isa<FloatType>(type))
    return TritonCpuFloat;
  return isSigned ? TritonCpuSigned : TritonCpuUnsigned;
}

void lowerPrint(Lowering &lowering, tt::PrintOp op) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  Location loc = op.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i32 = b.getI32Type();
  LLVM::LLVMFuncOp print =
      runtimeFunction(lowering, "triton_cpu_print", {i32, i32, i32, pointer, pointer, pointer, i32, i32, i32, i32});
  auto number = [&](int64_t value) { return lanes.constantInt(loc, i32, value); };
  auto call = [&](Value elements, Value shape, int64_t rank, int64_t bits, int64_t kind) {
    LLVM::CallOp::create(b, loc, print,
                         ValueRange{lowering.programs.ids[0], lowering.programs.ids[1], lowering.programs.ids[2],
                                    globalString(lowering, loc, op.getPrefix()), elements, shape, number(rank),
                                    number(bits), number(kind), number(op.getHex())});
  };
  Value null = lanes.zero(loc, pointer);
  if (op.getArgs().empty())
    return call(null, null, 0, 32, TritonCpuSigned);
  for (auto [argument, isSigned] : llvm::zip(op.getArgs(), op.getIsSigned())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    Type element = getElementTypeOrSelf(argument.getType());
    // The runtime has no kind for fp8, so its elements are printed as floats.
    bool isFp8 = isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
    Buffer elements;
    if (type) {
      elements = materialize(lowering, argument, /*rowMajor=*/true);
    } else {
      elements = {allocateBytes(lowering, 8), {}, element};
      writeBuffer(lowering, loc, elements, {}, Lanes::uniform(scalar(lowering, argument)));
    }
    SmallVector<int64_t> extents(type ? type.getShape() : ArrayRef<int64_t>());
    if (isFp8)
      elements = widenedCopy(lowering, loc, elements, extents);
    Value shape = allocateBytes(lowering, 8 * std::max<size_t>(extents.size(), 1));
    for (auto [dim, extent] : llvm::enumerate(extents))
      LLVM::StoreOp::create(b, loc, lanes.constantI64(loc, extent),
                            lanes.offsetPointer(loc, shape, dim, b.getI64Type()));
    call(elements.base, shape, extents.size(), 8 * memoryBytes(elements.elementType),
         kindOf(elements.elementType, isSigned));
  }
}

/// "file:line" of the kernel's source, or nothing.
static std::string sourcePosition(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine())).str();
  return "";
}

void lowerAssert(Lowering &lowering, tt::AssertOp op) {
  OpBuilder &b = lowering.b;
  LaneEmitter &lanes = lowering.lanes;
  if (!lowering.options.debug)
    return;
  Location loc = op.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i32 = b.getI32Type();
  LLVM::LLVMFuncOp fail = runtimeFunction(lowering, "triton_cpu_assert_fail", {i32, i32, i32, pointer, pointer});
  auto check = [&](Value holds) {
    Value fails = arith::XOrIOp::create(b, loc, holds, lanes.constantInt(loc, b.getI1Type(), 1));
    auto branch = scf::IfOp::create(b, loc, fails, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    LLVM::CallOp::create(b, loc, fail,
                         ValueRange{lowering.programs.ids[0], lowering.programs.ids[1], lowering.programs.ids[2],
                                    globalString(lowering, loc, op.getMessage()),
                                    globalString(lowering, loc, sourcePosition(loc))});
  };
  auto type = dyn_cast<RankedTensorType>(op.getCondition().getType());
  if (!type)
    return check(scalar(lowering, op.getCondition()));
  int64_t laneDim = type.getRank() - 1;
  unsigned count = std::min<int64_t>(lowering.options.target->lanes(32), type.getShape()[laneDim]);
  openNest(lowering);
  overVectors(lowering, loc, type.getShape(), laneDim, count, [&](const TileIndex &index) {
    Lanes condition = evaluate(lowering, op.getCondition(), index);
    Value all = condition.isUniform() ? condition.value
                                      : vector::ReductionOp::create(b, loc, vector::CombiningKind::AND,
                                                                    lanes.toVector(loc, condition, index.lanes));
    check(all);
  });
  closeNest(lowering);
}

} // namespace triton::cpu
