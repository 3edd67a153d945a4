#include "gpu/copies/DescriptorMaps.h"

#include "gpu/copies/LaunchExpressions.h"
#include "ir/Remarks.h"

using namespace mlir;

namespace triton::ttg {

constexpr unsigned mostRank = 5;  ///< of a tensor map
constexpr int64_t fewestRows = 8, ///< of a buffer in shared memory
    fewestRowBytes = 16, pieceBytes = 16;

std::optional<DescriptorMap> describeMap(tt::MakeTensorDescOp descriptor, MapAlignment alignment,
                                         llvm::StringRef &obstacle) {
  auto refuse = [&](llvm::StringRef why) {
    obstacle = why;
    return std::nullopt;
  };
  Builder builder(descriptor.getContext());
  auto block = cast<tt::TensorDescType>(descriptor.getType()).getSignlessBlockType();
  int64_t elementBytes = block.getElementTypeBitWidth() / 8;
  std::optional<LaunchValue> base = findLaunchValue(descriptor.getBase());
  if (!base || !base->pointer)
    return refuse("the address of its array does not follow from arguments of the kernel alone");
  bool isPromised = alignment == MapAlignment::Promised;
  if (!isPromised && base->divisibility % pieceBytes != 0)
    return refuse("its array is not known to begin at a multiple of 16 bytes");
  SmallVector<Attribute> shape, strides;
  bool hasWholePieces = false;
  for (Value extent : descriptor.getShape()) {
    std::optional<LaunchValue> value = findLaunchValue(extent);
    if (!value)
      return refuse("the extents of its array do not follow from arguments of the kernel alone");
    shape.push_back(builder.getStringAttr(value->text));
    hasWholePieces = value->divisibility * elementBytes % pieceBytes == 0; // of the last one
  }
  for (Value stride : descriptor.getStrides().drop_back()) {
    std::optional<LaunchValue> value = findLaunchValue(stride);
    if (!value)
      return refuse("the strides of its array do not follow from arguments of the kernel alone");
    if (!isPromised && value->divisibility * elementBytes % pieceBytes != 0)
      return refuse("the strides of its array are not known to be multiples of 16 bytes");
    strides.push_back(builder.getStringAttr(value->text));
  }
  SmallVector<NamedAttribute> map{builder.getNamedAttr("base", builder.getStringAttr(base->text)),
                                  builder.getNamedAttr("block", builder.getDenseI32ArrayAttr(SmallVector<int32_t>(
                                                                    block.getShape().begin(), block.getShape().end()))),
                                  builder.getNamedAttr("name", builder.getStringAttr(nameOfArgument(base->pointer))),
                                  builder.getNamedAttr("shape", builder.getArrayAttr(shape)),
                                  builder.getNamedAttr("strides", builder.getArrayAttr(strides))};
  return DescriptorMap{builder.getDictionaryAttr(map), base->pointer, hasWholePieces};
}

bool beginsAligned(Value descriptor, ValueRange indices, const analysis::AxisInfoAnalysis &axisInfo) {
  auto block = cast<tt::TensorDescType>(descriptor.getType()).getSignlessBlockType();
  analysis::AxisInfo column = axisInfo.getAxisInfo(indices.back());
  return column.axes.front().divisibility * (block.getElementTypeBitWidth() / 8) % pieceBytes == 0;
}

bool hasCopiedShape(Value descriptor, RankedTensorType tensor) {
  auto block = cast<tt::TensorDescType>(descriptor.getType()).getSignlessBlockType();
  unsigned bits = block.getElementTypeBitWidth();
  llvm::ArrayRef<int64_t> shape = block.getShape();
  bool isMatrix = tensor.getRank() == 2 && shape.size() >= 2 && shape.size() <= mostRank &&
                  shape.take_back(2) == tensor.getShape() &&
                  llvm::all_of(shape.drop_back(2), [](int64_t extent) { return extent == 1; });
  return isMatrix && bits >= 8 && bits <= 32 && shape[shape.size() - 2] >= fewestRows &&
         shape.back() * int64_t(bits / 8) >= fewestRowBytes;
}

void reportPointers(Operation *access, llvm::StringRef obstacle, Operation *cause) {
  remarks::InFlightRemark remark = remarks::missed(access, remarks::access, "BulkCopy");
  remark << "the block of the tensor descriptor is accessed through pointers" << remarks::reason("{0}", obstacle);
  if (remark && cause)
    remark << remarks::Fact("Cause", Attribute(cause->getLoc()));
}

} // namespace triton::ttg
