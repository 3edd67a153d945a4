#include "base/DescriptorType.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::base {

/// The most elements that a tensor may have, tl.TRITON_MAX_TENSOR_NUMEL.
static constexpr int64_t maximumElements = 1 << 20;

constexpr llvm::StringLiteral bufferLayoutName = "NVMMASharedLayout(";

std::vector<int64_t> DescriptorType::block() const {
  std::vector<int64_t> extents;
  extents.reserve(rank);
  for (unsigned i = 0; i < rank; ++i)
    extents.push_back(int64_t(1) << logBlock[i]);
  return extents;
}

/// "[[1, 0], [0, 1]]"
static std::string listBlockBases(const DescriptorType &type) {
  std::string text;
  llvm::raw_string_ostream out(text);
  std::vector<int32_t> bases = type.blockBases();
  out << '[';
  for (std::size_t i = 0; i < bases.size(); ++i)
    out << (i % type.rank != 0 ? ", " : i == 0 ? "[" : "], [") << bases[i];
  out << (bases.empty() ? "]" : "]]");
  return text;
}

std::string DescriptorType::str() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "tensordesc<" << shortName(element) << '[';
  llvm::interleaveComma(block(), out);
  out << ']' << (padsWithNaN ? ", nan" : "") << (roundsToTF32 ? ", tf32" : "");
  if (bufferSwizzle)
    out << ", " << bufferLayoutName << "swizzle_byte_width=" << unsigned(*bufferSwizzle)
        << ", element_bitwidth=" << bitWidth(element) << ", rank=" << unsigned(rank)
        << ", transposed=False, fp4_padded=" << (fp4Padded ? "True" : "False")
        << ", cga_layout=" << listBlockBases(*this) << ')';
  out << '>';
  return text;
}

std::vector<int32_t> DescriptorType::blockBases() const {
  std::vector<int32_t> bases;
  std::array<int32_t, maximumRank> next;
  next.fill(1);
  for (uint8_t kind : blockBits) {
    if (kind == 0)
      break;
    for (unsigned dimension = 0; dimension < rank; ++dimension) {
      bool divides = kind == firstDivided + dimension;
      bases.push_back(divides ? next[dimension] : 0);
      next[dimension] *= divides ? 2 : 1;
    }
  }
  return bases;
}

bool DescriptorType::setBlockBases(std::span<const int64_t> bases) {
  blockBits = {};
  if (rank == 0 || bases.size() % rank != 0 || bases.size() / rank > maximumBlockBits)
    return false;
  for (std::size_t bit = 0; bit < bases.size() / rank; ++bit) {
    blockBits[bit] = notDivided;
    for (unsigned dimension = 0; dimension < rank; ++dimension)
      if (bases[bit * rank + dimension] != 0)
        blockBits[bit] = uint8_t(firstDivided + dimension);
  }
  std::vector<int32_t> own = blockBases();
  return std::equal(own.begin(), own.end(), bases.begin(), bases.end());
}

uint64_t DescriptorType::pack() const {
  uint64_t swizzle = bufferSwizzle ? 1 + *bufferSwizzle / 32u : 0; // at most 5
  uint64_t word =
      rank | uint64_t(padsWithNaN) << 8 | uint64_t(roundsToTF32) << 9 | swizzle << 10 | uint64_t(fp4Padded) << 13;
  for (unsigned bit = 0; bit < 2; ++bit)
    word |= uint64_t(blockBits[bit]) << (56 + 3 * bit);
  word |= uint64_t(blockBits[2] & 3) << 62 | uint64_t(blockBits[2] >> 2) << 14;
  for (unsigned i = 0; i < maximumRank; ++i)
    word |= uint64_t(logBlock[i]) << (16 + 8 * i);
  return word;
}

DescriptorType DescriptorType::unpack(ScalarType element, uint64_t word) {
  DescriptorType type{element, uint8_t(word), {}, bool(word >> 8 & 1), bool(word >> 9 & 1), {}};
  if (uint64_t swizzle = word >> 10 & 7)
    type.bufferSwizzle = uint8_t((swizzle - 1) * 32);
  type.fp4Padded = bool(word >> 13 & 1);
  for (unsigned bit = 0; bit < 2; ++bit)
    type.blockBits[bit] = uint8_t(word >> (56 + 3 * bit) & 7);
  type.blockBits[2] = uint8_t((word >> 62 & 3) | (word >> 14 & 1) << 2);
  for (unsigned i = 0; i < maximumRank; ++i)
    type.logBlock[i] = uint8_t(word >> (16 + 8 * i));
  return type;
}

std::string setBlock(DescriptorType &type, std::span<const int64_t> extents) {
  if (extents.empty() || extents.size() > DescriptorType::maximumRank)
    return "a descriptor has one to five dimensions, not " + std::to_string(extents.size());
  type.rank = uint8_t(extents.size());
  type.logBlock = {};
  int64_t elements = 1;
  for (auto [index, extent] : llvm::enumerate(extents)) {
    if (extent <= 0 || !llvm::isPowerOf2_64(uint64_t(extent)))
      return "the block dimension " + std::to_string(extent) + " is not a power of two";
    if (extent > maximumElements / elements)
      return "the block has more than " + std::to_string(maximumElements) + " elements";
    elements *= extent;
    type.logBlock[index] = uint8_t(llvm::Log2_64(uint64_t(extent)));
  }
  return "";
}

std::string checkElements(const DescriptorType &type) {
  if (type.padsWithNaN && !isFloat(type.element))
    return "the padding `nan` needs floating-point elements, not " + std::string(shortName(type.element));
  if (type.roundsToTF32 && type.element != ScalarType::Float32)
    return "rounding to tf32 needs fp32 elements, not " + std::string(shortName(type.element));
  return "";
}

/// Takes the layout of buffers off the end of `words`. False when it is none of those that there are.
static bool parseLayout(llvm::StringRef &words, DescriptorType &type) {
  size_t begin = words.find(bufferLayoutName);
  if (begin == llvm::StringRef::npos)
    return true;
  llvm::StringRef fields = words.drop_front(begin + bufferLayoutName.size());
  words = words.take_front(begin).rtrim().rtrim(',');
  if (!fields.consume_back(")"))
    return false;
  // Lists of layouts here are tuples.
  auto [plain, blocks] = fields.split(", cga_layout=");
  fields = plain;
  for (llvm::StringRef field : llvm::split(fields, ',')) {
    auto [name, value] = field.trim().split('=');
    unsigned number = 0;
    if (name == "swizzle_byte_width" && !value.getAsInteger(10, number) && isSwizzle(number))
      type.bufferSwizzle = uint8_t(number);
    else if (name == "fp4_padded" && value == "True")
      type.fp4Padded = true;
    else if (name != "element_bitwidth" && name != "rank" && value != "False")
      return false;
  }
  std::vector<int64_t> bases;
  for (llvm::StringRef number : llvm::split(blocks, ','))
    if (number = number.trim(" [](),"); !number.empty() && number.getAsInteger(10, bases.emplace_back()))
      return false;
  return type.bufferSwizzle.has_value() && (bases.empty() || type.setBlockBases(bases));
}

std::optional<DescriptorType> parseDescriptorType(std::string_view text) {
  llvm::StringRef rest = llvm::StringRef(text).trim();
  if (!rest.consume_front("tensordesc<") || !rest.consume_back(">"))
    return std::nullopt;
  auto [element, behind] = rest.split('[');
  auto [extents, words] = behind.split(']');
  std::optional<ElementType> parsed = parseElementType(std::string_view(element.trim()));
  if (!parsed || parsed->isPointer() || parsed->scalar == ScalarType::Void || !behind.contains(']'))
    return std::nullopt;
  DescriptorType type{.element = parsed->scalar};
  type.rank = uint8_t(llvm::count(extents, ',') + 1); // of the layout that follows
  std::vector<int64_t> block;
  for (llvm::StringRef extent : llvm::split(extents, ','))
    if (extent.trim().getAsInteger(10, block.emplace_back()))
      return std::nullopt;
  words = words.trim();
  if (!parseLayout(words, type))
    return std::nullopt;
  if (!words.empty() && !words.consume_front(","))
    return std::nullopt;
  if (!words.empty())
    for (llvm::StringRef word : llvm::split(words, ',')) {
      bool &flag = word.trim() == "nan" ? type.padsWithNaN : type.roundsToTF32;
      if (flag || (word.trim() != "nan" && word.trim() != "tf32"))
        return std::nullopt;
      flag = true;
    }
  if (!setBlock(type, block).empty() || !checkElements(type).empty())
    return std::nullopt;
  return type;
}

} // namespace triton::base
