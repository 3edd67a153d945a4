#include "gpu/copies/TensorMaps.h"

using namespace mlir;

namespace triton::ttg {

constexpr int64_t mostRows = 256; ///< of a box

bool TensorMaps::canShare(MemDescType buffer, unsigned blocks) {
  constexpr int64_t rowsOfPattern = 8; // which swizzles repeat
  return buffer.getShape()[0] >= rowsOfPattern * blocks;
}

Value TensorMaps::get(DictionaryAttr map, MemDescType buffer, Location loc, unsigned blocks) {
  auto encoding = cast<NvmmaSharedEncodingAttr>(buffer.getEncoding());
  SmallVector<int64_t> box(map.getAs<DenseI32ArrayAttr>("block").asArrayRef());
  box.back() = encoding.getPieceElements();
  box[box.size() - 2] = std::min(buffer.getShape()[0] / blocks, mostRows);
  return get(map, RankedTensorType::get(box, buffer.getElementType()), encoding, loc);
}

Value TensorMaps::get(DictionaryAttr map, RankedTensorType box, NvmmaSharedEncodingAttr encoding, Location loc) {
  auto type = tt::TensorDescType::get(box);
  Builder builder(map.getContext());
  NamedAttrList description(map);
  description.erase("block");
  description.set("box", builder.getDenseI32ArrayAttr(llvm::to_vector_of<int32_t>(box.getShape())));
  description.set("swizzle", builder.getI32IntegerAttr(int32_t(encoding.getSwizzlingByteWidth())));
  if (encoding.getFp4Padded())
    description.set("fp4_padded", builder.getUnitAttr());
  DictionaryAttr attribute = description.getDictionary(map.getContext());
  Value &known = maps[{type, attribute}];
  if (!known) {
    unsigned index = function.getNumArguments();
    auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(tensorMapAttribute, attribute));
    (void)function.insertArgument(index, type, attributes, loc);
    known = function.getArgument(index);
  }
  return known;
}

} // namespace triton::ttg
