#include "gpu/ir/EncodingText.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace triton::ttg {

FieldReader::FieldReader(AsmParser &parser, Part before, Part after)
    : parser(parser), start(parser.getCurrentLocation()) {
  failed = parser.parseLess() || before() || parser.parseAttribute(fields) || after() || parser.parseGreater();
}

FieldReader FieldReader::withoutBraces(AsmParser &parser) {
  FieldReader reader(parser, parser.getCurrentLocation());
  NamedAttrList fields;
  reader.failed = bool(parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&]() -> ParseResult {
    std::string name;
    Attribute value;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual() || parser.parseAttribute(value))
      return mlir::failure();
    fields.set(name, value);
    return success();
  }));
  reader.fields = fields.getDictionary(parser.getContext());
  return reader;
}

FieldReader FieldReader::inner(llvm::StringRef name) {
  FieldReader reader(parser, start);
  reader.fields = field<DictionaryAttr>(name, "fields in braces");
  reader.failed = failed;
  return reader;
}

void FieldReader::fail(llvm::StringRef name, llvm::StringRef expected) {
  parser.emitError(start) << "expected `" << name << "`, " << expected;
  failed = true;
}

unsigned FieldReader::integer(llvm::StringRef name) {
  auto attribute = field<IntegerAttr>(name, "an integer");
  if (attribute && !llvm::isUInt<32>(attribute.getInt()))
    fail(name, "an integer from 0 to 4294967295");
  return attribute ? unsigned(attribute.getInt()) : 0;
}

bool FieldReader::boolean(llvm::StringRef name) {
  auto attribute = field<BoolAttr>(name, "true or false");
  return attribute && attribute.getValue();
}

SmallVector<unsigned> FieldReader::integers(llvm::StringRef name) {
  SmallVector<unsigned> values;
  if (auto array = field<ArrayAttr>(name, "a list of integers"))
    for (Attribute element : array) {
      auto integer = dyn_cast<IntegerAttr>(element);
      if (!integer) {
        fail(name, "a list of integers");
        break;
      }
      if (!llvm::isUInt<32>(integer.getInt())) {
        fail(name, "a list of integers from 0 to 4294967295");
        break;
      }
      values.push_back(unsigned(integer.getInt()));
    }
  return values;
}

std::size_t FieldReader::rankOfBases(llvm::StringRef name) {
  auto array = field<ArrayAttr>(name, "a list of bases");
  auto basis = array && !array.empty() ? dyn_cast<ArrayAttr>(array[0]) : ArrayAttr();
  if (!basis && !failed)
    fail(name, "a list of bases, or `shape`");
  return basis ? basis.size() : 0;
}

SmallVector<int32_t> FieldReader::bases(llvm::StringRef name, std::size_t rank) {
  SmallVector<int32_t> values;
  if (auto array = field<ArrayAttr>(name, "a list of bases"))
    for (Attribute basis : array) {
      auto components = dyn_cast<ArrayAttr>(basis);
      if (!components || components.size() != rank || !llvm::all_of(components, llvm::IsaPred<IntegerAttr>)) {
        fail(name, "a list of bases, each with one integer for each dimension");
        break;
      }
      for (auto element : components.getAsRange<IntegerAttr>())
        values.push_back(int32_t(element.getInt()));
    }
  return values;
}

SmallVector<int32_t> FieldReader::blockBases(std::size_t rank) {
  if (has("CGALayout"))
    return bases("CGALayout", rank);
  if (!has("CTAsPerCGA"))
    return {};
  auto blocks = integers("CTAsPerCGA"), parts = integers("CTASplitNum"), order = integers("CTAOrder");
  if (failed)
    return {};
  if (blocks.size() != rank || parts.size() != rank || order.size() != rank || !isPermutation(order)) {
    fail("CTAsPerCGA", "with CTASplitNum and CTAOrder, one integer for each dimension");
    return {};
  }
  SmallVector<int32_t> values;
  for (unsigned dimension : order) {
    if (!llvm::isPowerOf2_32(blocks[dimension]) || !llvm::isPowerOf2_32(parts[dimension]) ||
        parts[dimension] > blocks[dimension]) {
      fail("CTAsPerCGA", "powers of two, none below that of CTASplitNum");
      return {};
    }
    for (unsigned block = 1; block < blocks[dimension]; block *= 2) {
      values.append(rank, 0);
      if (block < parts[dimension])
        values[values.size() - rank + dimension] = int32_t(block);
    }
  }
  return values;
}

void printList(AsmPrinter &printer, llvm::StringRef name, llvm::ArrayRef<unsigned> values) {
  printer << name << " = [";
  llvm::interleaveComma(values, printer);
  printer << "]";
}

void printBases(AsmPrinter &printer, llvm::StringRef name, llvm::ArrayRef<int32_t> bases, std::size_t rank) {
  printer << name << " = [";
  for (std::size_t i = 0; i < bases.size(); i += rank) {
    printer << (i ? ", [" : "[");
    llvm::interleaveComma(bases.slice(i, rank), printer);
    printer << "]";
  }
  printer << "]";
}

void printBlockBases(AsmPrinter &printer, llvm::ArrayRef<int32_t> bases, std::size_t rank) {
  if (bases.empty())
    return;
  printer << ", ";
  printBases(printer, "CGALayout", bases, rank);
}

bool isPermutation(llvm::ArrayRef<unsigned> order) {
  SmallVector<bool> seen(order.size());
  for (unsigned dimension : order) {
    if (dimension >= order.size() || seen[dimension])
      return false;
    seen[dimension] = true;
  }
  return true;
}

LogicalResult verifyBlockBases(function_ref<InFlightDiagnostic()> emitError, llvm::ArrayRef<int32_t> bases,
                               std::size_t rank) {
  constexpr std::size_t mostBits = 4; // no cluster has more than 16 blocks
  if (rank == 0 || bases.size() % rank != 0)
    return emitError() << "each basis of CGALayout must have one integer for each dimension";
  if (bases.size() / rank > mostBits)
    return emitError() << "CGALayout has " << bases.size() / rank << " bases; a cluster has at most " << mostBits;
  SmallVector<int32_t> parts(rank);
  for (std::size_t i = 0; i < bases.size(); i += rank)
    if (llvm::count_if(bases.slice(i, rank), [](int32_t component) { return component != 0; }) > 1)
      return emitError() << "a basis of CGALayout must be zero in all dimensions but one";
  for (auto [i, component] : llvm::enumerate(bases)) {
    if (component != 0 && (!llvm::isPowerOf2_32(uint32_t(component)) || (parts[i % rank] & component) != 0))
      return emitError() << "the bases of CGALayout must be distinct powers of two in each dimension";
    parts[i % rank] |= component;
  }
  for (int32_t all : parts)
    if (!llvm::isPowerOf2_32(uint32_t(all) + 1))
      return emitError() << "the bases of CGALayout must reach every part of a dimension";
  return success();
}

SmallVector<int32_t> permuteBlockBases(llvm::ArrayRef<int32_t> bases, llvm::ArrayRef<int32_t> order) {
  SmallVector<int32_t> permuted;
  for (std::size_t i = 0; i < bases.size(); i += order.size())
    for (int32_t source : order)
      permuted.push_back(bases[i + std::size_t(source)]);
  return permuted;
}

} // namespace triton::ttg
