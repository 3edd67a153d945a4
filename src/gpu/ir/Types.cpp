// Types of the dialect ttg.
#include "gpu/ir/ForeignDialects.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "gpu/ir/TritonGPUTypes.cpp.inc"

namespace triton::ttg {

void TritonGPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "gpu/ir/TritonGPUTypes.cpp.inc"
      >();
}

Type MemDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, wholeShape;
  Type elementType;
  Attribute encoding, memorySpace;
  bool isMutable = false;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(elementType) ||
      parser.parseComma() || parser.parseAttribute(encoding) || parser.parseComma() ||
      parser.parseAttribute(memorySpace))
    return {};
  bool goesOn = succeeded(parser.parseOptionalComma());
  if (goesOn && succeeded(parser.parseOptionalKeyword("mutable"))) {
    isMutable = true;
    goesOn = succeeded(parser.parseOptionalComma());
  }
  if (goesOn && parser.parseDimensionList(wholeShape, /*allowDynamic=*/false, /*withTrailingX=*/false))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<MemDescType>(parser.getContext(), shape, elementType, encoding, memorySpace, isMutable,
                                        wholeShape);
}

/// Of a part of a buffer, which is empty if it is the whole.
static LogicalResult verifyPart(llvm::function_ref<InFlightDiagnostic()> emitError, llvm::ArrayRef<int64_t> shape,
                                llvm::ArrayRef<int64_t> wholeShape) {
  if (!wholeShape.empty() && wholeShape.size() != shape.size())
    return emitError() << "a part of a buffer has as many dimensions as the whole";
  for (auto [extent, whole] : llvm::zip(shape, wholeShape)) {
    if (extent > whole)
      return emitError() << "a part of a buffer cannot have " << extent << " of " << whole << " elements";
    if (extent <= 0 || !llvm::isPowerOf2_64(uint64_t(extent)))
      return emitError() << "the extents of a part must be powers of two, not " << extent;
  }
  return success();
}

LogicalResult MemDescType::verify(function_ref<InFlightDiagnostic()> emitError, llvm::ArrayRef<int64_t> shape,
                                  Type elementType, Attribute encoding, Attribute memorySpace, bool,
                                  llvm::ArrayRef<int64_t> wholeShape) {
  if (isa_and_nonnull<foreign::TensorMemorySpaceAttr>(memorySpace))
    return success(succeeded(verifyPart(emitError, shape, wholeShape)) &&
                   succeeded(foreign::verifyTensorMemory(emitError, wholeShape.empty() ? shape : wholeShape,
                                                         elementType, encoding)));
  if (!isa_and_nonnull<SharedMemorySpaceAttr>(memorySpace))
    return emitError() << "the memory space of a buffer must be #ttg.shared_memory or #ttng.tensor_memory";
  auto shared = dyn_cast_or_null<SharedEncodingInterface>(encoding);
  if (!shared)
    return emitError() << "a buffer needs a shared encoding such as #ttg.swizzled_shared, not " << encoding;
  if (!elementType.isIntOrFloat() && !isa<tt::PointerType>(elementType))
    return emitError() << "a buffer holds integers, floats or pointers, not " << elementType;
  if (!wholeShape.empty() && (wholeShape.size() != shape.size() || shape.size() != shared.getRank()))
    return emitError() << "a part of a buffer has the dimensions of its encoding, and so does the whole";
  if (failed(verifyPart(emitError, shape, wholeShape)))
    return failure();
  if (!wholeShape.empty())
    shape = wholeShape;
  unsigned rank = shared.getRank();
  if (shape.size() < rank)
    return emitError() << "the encoding has rank " << rank << ", the buffer has rank " << shape.size();
  for (int64_t extent : shape.take_back(rank))
    if (!llvm::isPowerOf2_64(uint64_t(extent)))
      return emitError() << "the extents of a buffer must be powers of two, not " << extent;
  return shared.verifyBuffer(emitError, shape, elementType);
}

void MemDescType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t extent : getShape())
    printer << extent << "x";
  printer << getElementType() << ", " << getEncoding() << ", " << getMemorySpace();
  if (getMutableMemory())
    printer << ", mutable";
  if (isPart()) {
    printer << ", ";
    llvm::interleave(getWholeShape(), printer.getStream(), "x");
  }
  printer << ">";
}

} // namespace triton::ttg
