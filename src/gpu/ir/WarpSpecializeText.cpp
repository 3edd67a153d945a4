// The text of groups of warps, as it is printed and as Triton writes it.
#include "gpu/ir/Dialect.h"

using namespace mlir;

namespace triton::ttg {

namespace {

/// `%x, ...) attributes {...} default {...} partition0(%y: type, ...) num_warps(4) {...} ... : (types) -> types`: what
/// the operands are called in each partition stands for them.
class TritonWarpGroups {
public:
  TritonWarpGroups(OpAsmParser &parser, OperationState &result) : parser(parser), result(result) {}

  ParseResult parse() {
    llvm::SMLoc place = parser.getCurrentLocation();
    SmallVector<OpAsmParser::UnresolvedOperand> captures;
    NamedAttrList attributes;
    if (parser.parseOperandList(captures) || parser.parseRParen() ||
        parser.parseOptionalAttrDictWithKeyword(attributes) || parser.parseKeyword("default") ||
        parser.parseRegion(*result.addRegion()))
      return failure();
    while (succeeded(parser.parseOptionalKeyword("partition" + std::to_string(warps.size()))))
      if (parsePartition())
        return failure();
    FunctionType type;
    SmallVector<Value> values;
    if (parser.parseColonType(type) || parser.resolveOperands(captures, type.getInputs(), place, values) ||
        replaceArguments(place, values))
      return failure();
    result.addTypes(type.getResults());
    Builder &builder = parser.getBuilder();
    auto registers = dyn_cast_or_null<DenseI32ArrayAttr>(attributes.get("requestedRegisters"));
    result.addAttribute("partitionRegisters", registers ? registers : builder.getDenseI32ArrayAttr({}));
    result.addAttribute("partitionWarps", builder.getDenseI32ArrayAttr(warps));
    return success();
  }

private:
  ParseResult parsePartition() {
    SmallVector<OpAsmParser::Argument> arguments;
    return failure(parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
                   parser.parseKeyword("num_warps") || parser.parseLParen() ||
                   parser.parseInteger(warps.emplace_back()) || parser.parseRParen() ||
                   parser.parseRegion(*result.addRegion(), arguments));
  }

  ParseResult replaceArguments(llvm::SMLoc place, llvm::ArrayRef<Value> values) {
    for (auto &partition : llvm::drop_begin(result.regions)) {
      if (partition->empty())
        return parser.emitError(place) << "expected operations in each partition";
      Block &block = partition->front();
      if (block.getArgumentTypes() != ValueRange(values).getTypes())
        return parser.emitError(place) << "expected as many operands of the same types as each partition names";
      for (auto [argument, value] : llvm::zip(block.getArguments(), values))
        argument.replaceAllUsesWith(value);
      block.eraseArguments(0, block.getNumArguments());
    }
    return success();
  }

  OpAsmParser &parser;
  OperationState &result;
  SmallVector<int32_t> warps;
};

} // namespace

ParseResult WarpSpecializeOp::parse(OpAsmParser &parser, OperationState &result) {
  if (succeeded(parser.parseOptionalLParen()))
    return TritonWarpGroups(parser, result).parse();
  if (parser.parseRegion(*result.addRegion()) || parser.parseKeyword("partitions"))
    return failure();
  while (true) {
    auto partition = std::make_unique<Region>();
    OptionalParseResult parsed = parser.parseOptionalRegion(*partition);
    if (!parsed.has_value())
      break;
    if (failed(*parsed))
      return failure();
    result.addRegion(std::move(partition));
    if (failed(parser.parseOptionalComma()))
      break;
  }
  return failure(parser.parseOptionalAttrDict(result.attributes) || parser.parseOptionalColonTypeList(result.types));
}

void WarpSpecializeOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printRegion(getDefaultRegion());
  printer << " partitions ";
  llvm::interleaveComma(getPartitions(), printer, [&](Region &partition) { printer.printRegion(partition); });
  printer.printOptionalAttrDict((*this)->getAttrs());
  if (getNumResults() != 0)
    printer << " : " << getResultTypes();
}

} // namespace triton::ttg
