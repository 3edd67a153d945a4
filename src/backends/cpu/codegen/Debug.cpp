// device_print and device_assert: calls of the runtime, see runtime/CpuRuntimeFunctions.h.
#include "backends/cpu/codegen/Lowering.h"

#include "backends/cpu/runtime/CpuRuntimeFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace triton::cpu {

LLVM::LLVMFuncOp KernelLowering::runtimeFunction(llvm::StringRef name, ArrayRef<Type> arguments, Type result) {
  auto module = kernel->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(
      b, kernel.getLoc(), name,
      LLVM::LLVMFunctionType::get(result ? result : LLVM::LLVMVoidType::get(b.getContext()), arguments));
}

Value KernelLowering::globalString(Location loc, llvm::StringRef text) {
  std::string name = (kernel.getName() + ".string." + llvm::Twine(stringCount++)).str();
  std::string terminated = text.str() + '\0';
  return LLVM::createGlobalString(loc, b, name, terminated, LLVM::Linkage::Internal);
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

void KernelLowering::lowerPrint(tt::PrintOp op) {
  Location loc = op.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i32 = b.getI32Type();
  LLVM::LLVMFuncOp print =
      runtimeFunction("triton_cpu_print", {i32, i32, i32, pointer, pointer, pointer, i32, i32, i32, i32});
  auto number = [&](int64_t value) { return lanes.constantInt(loc, i32, value); };
  auto call = [&](Value elements, Value shape, int64_t rank, int64_t bits, int64_t kind) {
    LLVM::CallOp::create(b, loc, print,
                         ValueRange{programIds[0], programIds[1], programIds[2], globalString(loc, op.getPrefix()),
                                    elements, shape, number(rank), number(bits), number(kind), number(op.getHex())});
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
      elements = materialize(argument, /*rowMajor=*/true);
    } else {
      elements = {allocateBytes(8), {}, element};
      writeBuffer(loc, elements, {}, Lanes::uniform(scalar(argument)));
    }
    SmallVector<int64_t> extents(type ? type.getShape() : ArrayRef<int64_t>());
    if (isFp8)
      elements = widenedCopy(loc, elements, extents);
    Value shape = allocateBytes(8 * std::max<size_t>(extents.size(), 1));
    for (auto [dim, extent] : llvm::enumerate(extents))
      LLVM::StoreOp::create(b, loc, lanes.constantI64(loc, extent),
                            lanes.offsetPointer(loc, shape, dim, b.getI64Type()));
    call(elements.base, shape, extents.size(), 8 * memoryBytes(elements.elementType),
         kindOf(elements.elementType, isSigned));
  }
}

/// The elements of a row-major buffer of a narrow float type as f32.
Buffer KernelLowering::widenedCopy(Location loc, const Buffer &narrow, ArrayRef<int64_t> shape) {
  Buffer wide = narrow;
  wide.elementType = b.getF32Type();
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  wide.base = allocateBytes(4 * count);
  openNest();
  overElements(loc, shape, [&](const TileIndex &index) {
    Value value = readBuffer(loc, narrow, index).value;
    writeBuffer(loc, wide, index, Lanes::uniform(lanes.widen(loc, value, narrow.elementType)));
  });
  closeNest();
  return wide;
}

/// "file:line" of the kernel's source, or nothing.
static std::string sourcePosition(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine())).str();
  return "";
}

void KernelLowering::lowerAssert(tt::AssertOp op) {
  if (!options.debug)
    return;
  Location loc = op.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i32 = b.getI32Type();
  LLVM::LLVMFuncOp fail = runtimeFunction("triton_cpu_assert_fail", {i32, i32, i32, pointer, pointer});
  auto check = [&](Value holds) {
    Value fails = arith::XOrIOp::create(b, loc, holds, lanes.constantInt(loc, b.getI1Type(), 1));
    auto branch = scf::IfOp::create(b, loc, fails, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    LLVM::CallOp::create(b, loc, fail,
                         ValueRange{programIds[0], programIds[1], programIds[2], globalString(loc, op.getMessage()),
                                    globalString(loc, sourcePosition(loc))});
  };
  auto type = dyn_cast<RankedTensorType>(op.getCondition().getType());
  if (!type)
    return check(scalar(op.getCondition()));
  int64_t laneDim = type.getRank() - 1;
  unsigned count = std::min<int64_t>(options.target->lanes(32), type.getShape()[laneDim]);
  openNest();
  overVectors(loc, type.getShape(), laneDim, count, [&](const TileIndex &index) {
    Lanes condition = evaluate(op.getCondition(), index);
    Value all = condition.isUniform() ? condition.value
                                      : vector::ReductionOp::create(b, loc, vector::CombiningKind::AND,
                                                                    lanes.toVector(loc, condition, index.lanes));
    check(all);
  });
  closeNest();
}

} // namespace triton::cpu
