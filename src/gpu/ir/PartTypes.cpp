#include "gpu/ir/PartTypes.h"

#include "gpu/ir/ForeignDialects.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::ttg {

using layout::Basis;
using layout::LinearLayout;

namespace {

/// What blocks make of each dimension.
SmallVector<int64_t> countParts(llvm::ArrayRef<Basis> bases, std::size_t rank) {
  SmallVector<int64_t> parts(rank, 1);
  for (const Basis &basis : bases)
    for (auto [count, component] : llvm::zip_equal(parts, basis))
      count *= component == 0 ? 1 : 2;
  return parts;
}

SmallVector<int64_t> divide(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> parts) {
  SmallVector<int64_t> part(shape);
  for (auto [extent, count] : llvm::zip_equal(part, parts))
    extent = std::max<int64_t>(1, extent / count);
  return part;
}

llvm::ArrayRef<int32_t> basesOfTensorMemory(Attribute encoding) {
  if (auto matrix = dyn_cast<foreign::TensorMemoryEncodingAttr>(encoding))
    return matrix.getBlockBases();
  return cast<foreign::TensorMemoryScalesEncodingAttr>(encoding).getBlockBases();
}

/// Bases in units of parts become those in elements; they are for the last dimensions.
SmallVector<Basis> inElements(llvm::ArrayRef<int32_t> flat, llvm::ArrayRef<int64_t> shape, std::size_t rank) {
  SmallVector<Basis> bases;
  std::size_t added = shape.size() - rank;
  for (std::size_t i = 0; i < flat.size(); i += rank) {
    Basis basis(shape.size());
    for (std::size_t dimension = 0; dimension < rank; ++dimension)
      if (flat[i + dimension] < shape[added + dimension]) // otherwise it is a copy
        basis[added + dimension] = flat[i + dimension];
    bases.push_back(basis);
  }
  SmallVector<int64_t> part = divide(shape, countParts(bases, shape.size()));
  for (Basis &basis : bases)
    for (auto [component, extent] : llvm::zip_equal(basis, part))
      component *= int32_t(extent);
  return bases;
}

/// The encoding without blocks; null where that of a part does not follow.
Attribute ofOneBlock(Attribute encoding);

Attribute linearOfOneBlock(LinearEncodingAttr linear) {
  LinearLayout whole = linear.getLayout();
  llvm::ArrayRef<Basis> bases = whole.findInput("block")->bases;
  SmallVector<int64_t> parts = countParts(bases, whole.outputs().size());
  SmallVector<layout::Input> inputs;
  SmallVector<layout::Output> outputs(whole.outputs());
  for (auto [output, count] : llvm::zip_equal(outputs, parts))
    output.size /= int32_t(count);
  for (const layout::Input &input : whole.inputs()) {
    inputs.push_back(input);
    if (input.name == "block")
      inputs.back().bases.clear();
    for (const Basis &basis : inputs.back().bases)
      for (auto [component, output] : llvm::zip_equal(basis, outputs))
        if (component >= output.size)
          return {};
  }
  return LinearEncodingAttr::get(linear.getContext(), LinearLayout(inputs, outputs));
}

Attribute ofOneBlock(Attribute encoding) {
  MLIRContext *context = encoding.getContext();
  const llvm::ArrayRef<int32_t> none;
  return llvm::TypeSwitch<Attribute, Attribute>(encoding)
      .Case([&](BlockedEncodingAttr own) {
        return BlockedEncodingAttr::get(context, own.getSizePerThread(), own.getThreadsPerWarp(), own.getWarpsPerCTA(),
                                        own.getOrder(), none);
      })
      .Case([&](SliceEncodingAttr own) -> Attribute {
        Attribute parent = ofOneBlock(own.getParent());
        return parent ? SliceEncodingAttr::get(context, own.getDim(), parent) : SliceEncodingAttr();
      })
      .Case([&](DotOperandEncodingAttr own) -> Attribute {
        Attribute parent = ofOneBlock(own.getParent());
        return parent ? DotOperandEncodingAttr::get(context, own.getOpIdx(), parent, own.getKWidth())
                      : DotOperandEncodingAttr();
      })
      .Case([](LinearEncodingAttr own) { return linearOfOneBlock(own); })
      .Case([&](NvidiaMmaEncodingAttr own) {
        return NvidiaMmaEncodingAttr::get(context, own.getVersionMajor(), own.getVersionMinor(), own.getWarpsPerCTA(),
                                          own.getInstrShape(), none);
      })
      .Case([&](AmdMfmaEncodingAttr own) {
        return AmdMfmaEncodingAttr::get(context, own.getVersion(), own.getWarpsPerCTA(), own.getInstrShape(),
                                        own.getIsTransposed(), own.getElementBitWidth(), own.getTilesPerWarp(), none);
      })
      .Case([&](AmdWmmaEncodingAttr own) {
        return AmdWmmaEncodingAttr::get(context, own.getVersion(), own.getIsTransposed(), own.getRank(),
                                        own.getRegisterBases(), own.getWarpBases(), own.getInstrShape(), none);
      })
      .Case([&](SwizzledSharedEncodingAttr own) {
        return SwizzledSharedEncodingAttr::get(context, own.getVec(), own.getPerPhase(), own.getMaxPhase(),
                                               own.getOrder(), none, own.getFold());
      })
      .Case([&](NvmmaSharedEncodingAttr own) {
        return NvmmaSharedEncodingAttr::get(context, own.getSwizzlingByteWidth(), own.getTransposed(),
                                            own.getElementBitWidth(), own.getRank(), none, own.getFp4Padded());
      })
      .Case([&](SharedLinearEncodingAttr own) {
        return SharedLinearEncodingAttr::get(context, own.getOffsetBases(), none, own.getRank(), own.getAlignment());
      })
      .Case([&](PaddedSharedEncodingAttr own) {
        return PaddedSharedEncodingAttr::get(context, own.getIntervalPaddings(), own.getOffsetBases(), none,
                                             own.getRank());
      })
      .Case([&](foreign::TensorMemoryEncodingAttr own) {
        return foreign::TensorMemoryEncodingAttr::get(context, own.getBlockM(), own.getBlockN(), own.getColStride(),
                                                      none, own.getTwoCTAs(), own.getFp4Padded());
      })
      .Case([&](foreign::TensorMemoryScalesEncodingAttr) {
        return foreign::TensorMemoryScalesEncodingAttr::get(context, none);
      })
      .Default([](Attribute other) { return other; });
}

/// Whether a part has its elements where a block of the whole has them.
bool isPartOf(const LinearLayout &whole, const LinearLayout &part) {
  for (const layout::Input &input : part.inputs()) {
    const layout::Input *same = whole.findInput(input.name);
    if (input.name != "block" && (!same || same->bases != input.bases))
      return false;
  }
  return true;
}

llvm::ArrayRef<int64_t> wholeShape(Type type) {
  if (auto buffer = dyn_cast<MemDescType>(type))
    return buffer.getAllocShape();
  return cast<RankedTensorType>(type).getShape();
}

bool hasLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return isa<MemDescType>(type) ||
         (tensor &&
          isa_and_nonnull<TritonGPUDialect>(tensor.getEncoding() ? &tensor.getEncoding().getDialect() : nullptr) &&
          !isPlaceholder(tensor.getEncoding()));
}

} // namespace

SmallVector<Basis> getPartBases(Type type) {
  if (!hasLayout(type))
    return {};
  llvm::ArrayRef<int64_t> shape = wholeShape(type);
  if (isInTensorMemory(type))
    return inElements(basesOfTensorMemory(cast<MemDescType>(type).getEncoding()), shape, 2);
  if (auto buffer = dyn_cast<MemDescType>(type)) {
    auto encoding = cast<SharedEncodingInterface>(buffer.getEncoding());
    return inElements(encoding.getBlockBases(), shape, encoding.getRank());
  }
  LinearLayout layout = toLinearLayout(cast<RankedTensorType>(type));
  return llvm::to_vector(layout.findInput("block")->bases);
}

Type getPartType(Type type) {
  SmallVector<Basis> bases = getPartBases(type);
  if (bases.empty())
    return type;
  SmallVector<int64_t> parts = countParts(bases, wholeShape(type).size());
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    Attribute encoding = ofOneBlock(tensor.getEncoding());
    if (!encoding)
      return {};
    auto part = RankedTensorType::get(divide(tensor.getShape(), parts), tensor.getElementType(), encoding);
    return isPartOf(toLinearLayout(tensor), toLinearLayout(part)) ? part : Type();
  }
  auto buffer = cast<MemDescType>(type);
  SmallVector<int64_t> whole = divide(buffer.getAllocShape(), parts);
  return MemDescType::get(type.getContext(), divide(buffer.getShape(), parts), buffer.getElementType(),
                          ofOneBlock(buffer.getEncoding()), buffer.getMemorySpace(), buffer.getMutableMemory(),
                          buffer.isPart() ? llvm::ArrayRef<int64_t>(whole) : llvm::ArrayRef<int64_t>());
}

unsigned getSharedBits(Type type) {
  unsigned bits = 0;
  for (auto [bit, basis] : llvm::enumerate(getPartBases(type)))
    if (llvm::all_of(basis, [](int32_t component) { return component == 0; }))
      bits |= 1u << bit;
  return bits;
}

bool areDividedAlike(Type left, Type right) {
  SmallVector<Basis> ofLeft = getPartBases(left), ofRight = getPartBases(right);
  std::size_t bits = std::max(ofLeft.size(), ofRight.size()); // without a basis, blocks have copies
  ofLeft.resize(bits);
  ofRight.resize(bits);
  for (auto [a, b] : llvm::zip_equal(ofLeft, ofRight)) {
    std::size_t rank = std::max(a.size(), b.size());
    a.insert(a.begin(), rank - a.size(), 0);
    b.insert(b.begin(), rank - b.size(), 0);
    if (a != b)
      return false;
  }
  return true;
}

bool isDivided(Type type, unsigned dimension) {
  return llvm::any_of(getPartBases(type), [&](const Basis &basis) { return basis[dimension] != 0; });
}

} // namespace triton::ttg
