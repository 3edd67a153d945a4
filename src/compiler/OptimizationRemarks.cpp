#include "compiler/OptimizationRemarks.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace triton;
using namespace triton::base;
using namespace triton::compiler;
using mlir::remark::detail::Remark;

llvm::json::Object compiler::toJson(const SourcePlace &place) {
  return llvm::json::Object{{"file", llvm::json::fixUTF8(place.file)}, {"line", place.line}, {"column", place.column}};
}

static llvm::json::Value toJson(mlir::Attribute attribute) {
  return llvm::TypeSwitch<mlir::Attribute, llvm::json::Value>(attribute)
      .Case([](mlir::BoolAttr value) { return llvm::json::Value(value.getValue()); })
      .Case([](mlir::IntegerAttr value) { return llvm::json::Value(value.getValue().getSExtValue()); })
      .Case([](mlir::FloatAttr value) { return llvm::json::Value(value.getValueAsDouble()); })
      .Case([](mlir::StringAttr value) { return llvm::json::Value(llvm::json::fixUTF8(value.getValue())); })
      .Case([](mlir::LocationAttr value) { return llvm::json::Value(compiler::toJson(findPlace(value))); })
      .Case([](mlir::ArrayAttr values) {
        llvm::json::Array array;
        for (mlir::Attribute value : values)
          array.push_back(toJson(value));
        return llvm::json::Value(std::move(array));
      })
      .Case([](mlir::DictionaryAttr values) {
        llvm::json::Object object;
        for (mlir::NamedAttribute value : values)
          object[value.getName().getValue()] = toJson(value.getValue());
        return llvm::json::Value(std::move(object));
      })
      .Default([](mlir::Attribute value) {
        std::string text;
        llvm::raw_string_ostream(text) << value;
        return llvm::json::Value(llvm::json::fixUTF8(text));
      });
}

/// Numbers and truth values come as text.
static llvm::json::Value valueOf(const Remark::Arg &fact) {
  if (fact.hasAttribute())
    return toJson(fact.getAttribute());
  int64_t integer;
  double number;
  llvm::StringRef text = fact.val;
  if (text == "true" || text == "false")
    return text == "true";
  if (!text.getAsInteger(10, integer))
    return integer;
  if (!text.getAsDouble(number))
    return number;
  return llvm::json::fixUTF8(text);
}

static OptimizationRemark::Kind kindOf(const Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return OptimizationRemark::Kind::Decided;
  case llvm::remarks::Type::Analysis:
    return OptimizationRemark::Kind::Found;
  default:
    return OptimizationRemark::Kind::Missed;
  }
}

static OptimizationRemark describe(const Remark &remark) {
  OptimizationRemark result{
      kindOf(remark), remark.getRemarkName().str(), remark.getCategoryName().str(), {}, {}, {}, {}, {}, {}};
  result.place = findPlace(remark.getLocation(), &result.callers);
  for (const Remark::Arg &part : remark.getArgs()) {
    auto place = llvm::dyn_cast_or_null<mlir::LocationAttr>(part.getAttribute());
    if (part.key == "Remark")
      result.text += part.val;
    else if (part.key == "Reason")
      result.reason += part.val;
    else if (part.key == "Suggestion")
      result.suggestion += part.val;
    else if (place && part.key == "Cause")
      result.cause = findPlace(place);
    else
      result.facts[part.key] = valueOf(part);
  }
  if (result.cause == result.place)
    result.cause = {};
  return result;
}

StageMessage OptimizationRemark::message() const {
  StageMessage message{text, place, callers, {}};
  if (cause.line != 0)
    message.notes.push_back({reason, cause});
  else if (!reason.empty())
    message.text += (text.empty() ? "" : ": ") + reason;
  return message;
}

namespace {

class Streamer final : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Streamer(RemarkListener::Handler handler) : handler(std::move(handler)) {}
  void streamOptimizationRemark(const Remark &remark) override { handler(describe(remark)); }

private:
  RemarkListener::Handler handler;
};

} // namespace

RemarkListener::RemarkListener(mlir::MLIRContext &context, bool missedOnly, Handler handler) : context(context) {
  const std::string every = ".*";
  mlir::remark::RemarkCategories categories;
  categories.missed = categories.failed = every;
  if (!missedOnly)
    categories.passed = categories.analysis = every;
  // Fails only where the context has remarks already.
  (void)mlir::remark::enableOptimizationRemarks(context, std::make_unique<Streamer>(std::move(handler)),
                                                std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), categories);
}

RemarkListener::~RemarkListener() { context.setRemarkEngine(nullptr); }
