// Types of the dialect tt.
#include "ir/Dialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "ir/TritonTypes.cpp.inc"

namespace triton::tt {

void TritonDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/TritonTypes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// PointerType
//===----------------------------------------------------------------------===//

Type PointerType::parse(AsmParser &parser) {
  Type pointee;
  int addressSpace = 1;
  if (parser.parseLess() || parser.parseType(pointee))
    return {};
  if (succeeded(parser.parseOptionalComma()) && parser.parseInteger(addressSpace))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<PointerType>(parser.getContext(), pointee, addressSpace);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << "<" << getPointeeType();
  if (getAddressSpace() != 1)
    printer << ", " << getAddressSpace();
  printer << ">";
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError, Type /*pointeeType*/,
                                  int addressSpace) {
  if (addressSpace < 0)
    return emitError() << "address space is " << addressSpace << ", it must not be negative";
  return success();
}

//===----------------------------------------------------------------------===//
// TensorDescType
//===----------------------------------------------------------------------===//

Type TensorDescType::parse(AsmParser &parser) {
  llvm::SMLoc place = parser.getCurrentLocation();
  Type block;
  if (parser.parseLess())
    return {};
  if (OptionalParseResult whole = parser.parseOptionalType(block); whole.has_value()) {
    if (failed(*whole))
      return {};
  } else {
    SmallVector<int64_t> shape;
    Type element;
    Attribute encoding;
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
        (succeeded(parser.parseOptionalComma()) && parser.parseAttribute(encoding)))
      return {};
    // The encoding is that of the buffers which copies access: it is known from these.
    block = RankedTensorType::getChecked([&] { return parser.emitError(place); }, shape, element);
  }
  if (parser.parseGreater())
    return {};
  if (!isa_and_nonnull<RankedTensorType>(block)) {
    parser.emitError(place, "a descriptor's block must be a tensor of known rank");
    return {};
  }
  return TensorDescType::get(cast<RankedTensorType>(block));
}

void TensorDescType::print(AsmPrinter &printer) const { printer << "<" << getBlockType() << ">"; }

RankedTensorType TensorDescType::getSignlessBlockType() const {
  RankedTensorType block = getBlockType();
  auto integer = dyn_cast<IntegerType>(block.getElementType());
  if (!integer || integer.isSignless())
    return block;
  return block.clone(IntegerType::get(getContext(), integer.getWidth()));
}

//===----------------------------------------------------------------------===//
// Derived types
//===----------------------------------------------------------------------===//

Type withElementType(Type like, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(like))
    return RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
  return element;
}

Type getPointeeType(Type pointer) {
  auto element = dyn_cast<PointerType>(getElementTypeOrSelf(pointer));
  if (!element)
    return {};
  return withElementType(pointer, element.getPointeeType());
}

Type getI1SameShape(Type type) { return type ? withElementType(type, IntegerType::get(type.getContext(), 1)) : Type(); }

Type getElementPointerType(Type blockPointer) {
  auto pointer = cast<PointerType>(blockPointer);
  return PointerType::get(getElementTypeOrSelf(pointer.getPointeeType()), pointer.getAddressSpace());
}

bool isBlockPointer(Type type) {
  auto pointer = dyn_cast<PointerType>(type);
  return pointer && isa<RankedTensorType>(pointer.getPointeeType());
}

//===----------------------------------------------------------------------===//
// TensorSize
//===----------------------------------------------------------------------===//

static LogicalResult verifyTensorSize(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  int64_t elements = 1;
  for (int64_t extent : tensor.getShape()) {
    if (extent <= 0 || !llvm::isPowerOf2_64(extent))
      return op->emitOpError() << "has " << type << ", but every extent of a tensor must be a power of two";
    // Extents are positive and checked one by one, so that the product cannot overflow.
    if (extent > maxTensorElements || (elements *= extent) > maxTensorElements)
      return op->emitOpError() << "has " << type << ", but a tensor holds at most " << maxTensorElements << " elements";
  }
  return success();
}

LogicalResult verifyTensorSizes(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (failed(verifyTensorSize(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(verifyTensorSize(op, type)))
      return failure();
  return success();
}

} // namespace triton::tt
