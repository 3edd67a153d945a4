#include "ir/AccessHints.h"

using namespace mlir;

namespace triton::tt {

template <typename EnumAttr, typename Enum>
static ParseResult parseHint(OpAsmParser &parser, EnumAttr &hint, std::optional<Enum> (*symbolize)(llvm::StringRef)) {
  llvm::SMLoc place = parser.getCurrentLocation();
  llvm::StringRef word;
  if (hint)
    return parser.emitError(place, "is said twice");
  if (parser.parseEqual() || parser.parseKeyword(&word))
    return failure();
  std::optional<Enum> value = symbolize(word);
  if (!value)
    return parser.emitError(place) << "`" << word << "` is not known";
  hint = EnumAttr::get(parser.getContext(), *value);
  return success();
}

ParseResult parseAccessHints(OpAsmParser &parser, NamedAttrList &attributes, CacheModifierAttr &cache,
                             EvictionPolicyAttr &evict) {
  while (true) {
    if (succeeded(parser.parseOptionalKeyword("cacheModifier"))) {
      if (parseHint(parser, cache, symbolizeCacheModifier))
        return failure();
    } else if (succeeded(parser.parseOptionalKeyword("evictionPolicy"))) {
      if (parseHint(parser, evict, symbolizeEvictionPolicy))
        return failure();
    } else {
      break;
    }
  }
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(attributes))
    return failure();
  Attribute both = attributes.erase("cachePolicy");
  if (!both)
    return success();
  auto policy = dyn_cast<CachePolicyAttr>(both);
  if (!policy || cache || evict)
    return parser.emitError(place) << "expected `cachePolicy`, instead of cacheModifier and evictionPolicy, to be a "
                                   << "#tt.cache_policy";
  cache = CacheModifierAttr::get(parser.getContext(), policy.getCacheModifier());
  evict = EvictionPolicyAttr::get(parser.getContext(), policy.getEvictionPolicy());
  return success();
}

void printAccessHints(OpAsmPrinter &printer, Operation *op, DictionaryAttr attributes, CacheModifierAttr cache,
                      EvictionPolicyAttr evict) {
  if (cache && cache.getValue() != CacheModifier::None)
    printer << " cacheModifier = " << stringifyCacheModifier(cache.getValue());
  if (evict && evict.getValue() != EvictionPolicy::Normal)
    printer << " evictionPolicy = " << stringifyEvictionPolicy(evict.getValue());
  SmallVector<llvm::StringRef> elided{"cache", "evict", "operandSegmentSizes"};
  if (auto isVolatile = op->getAttrOfType<BoolAttr>("isVolatile"); isVolatile && !isVolatile.getValue())
    elided.push_back("isVolatile");
  if (auto checked = op->getAttrOfType<DenseI32ArrayAttr>("boundaryCheck"); checked && checked.empty())
    elided.push_back("boundaryCheck");
  printer.printOptionalAttrDict(attributes.getValue(), elided);
}

} // namespace triton::tt
