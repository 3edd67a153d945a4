#include "compiler/OperationListing.h"

#include "compiler/BackendRegistry.h"
#include "compiler/StageDriver.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace triton;
using namespace triton::compiler;

namespace {

class Lister {
public:
  explicit Lister(OperationListing &listing) : listing(listing) {}

  void list(mlir::Operation &operation) {
    ListedOperation listed;
    listed.name = operation.getName().getStringRef().str();
    for (mlir::Region &region : operation.getRegions()) {
      listed.regions.push_back(numberOf(region));
      for (mlir::Block &block : region) {
        numberOf(block);
        for (mlir::Operation &inner : block)
          list(inner);
      }
    }
    for (mlir::Value operand : operation.getOperands())
      listed.operands.push_back(numberOf(operand));
    for (mlir::Value result : operation.getResults())
      listed.results.push_back(numberOf(result));
    if (mlir::Block *block = operation.getBlock())
      listed.block = numberOf(*block);
    for (mlir::NamedAttribute attribute : operation.getAttrs())
      addAttribute(attribute, listed);
    listing.operations.push_back(std::move(listed));
  }

private:
  static void addAttribute(mlir::NamedAttribute attribute, ListedOperation &listed) {
    std::string name = attribute.getName().str();
    llvm::TypeSwitch<mlir::Attribute>(attribute.getValue())
        .Case([&](mlir::BoolAttr value) { listed.attributes[name] = value.getValue(); })
        .Case([&](mlir::IntegerAttr value) { listed.attributes[name] = value.getValue().getSExtValue(); })
        .Case([&](mlir::StringAttr value) { listed.attributes[name] = value.str(); })
        .Case([&](mlir::FlatSymbolRefAttr value) { listed.attributes[name] = value.getValue().str(); });
  }

  template <typename Key> static unsigned numberIn(llvm::DenseMap<Key, unsigned> &numbers, Key key) {
    return numbers.try_emplace(key, unsigned(numbers.size())).first->second;
  }
  unsigned numberOf(mlir::Value value) { return numberIn(values, value); }
  unsigned numberOf(mlir::Region &region) { return numberIn(regions, &region); }
  unsigned numberOf(mlir::Block &block) {
    unsigned number = numberIn(blocks, &block);
    if (number == listing.blocks.size()) {
      listing.blocks.push_back({.region = numberOf(*block.getParent()), .arguments = {}});
      for (mlir::Value argument : block.getArguments())
        listing.blocks.back().arguments.push_back(numberOf(argument));
    }
    return number;
  }

  OperationListing &listing;
  llvm::DenseMap<mlir::Value, unsigned> values;
  llvm::DenseMap<mlir::Region *, unsigned> regions;
  llvm::DenseMap<mlir::Block *, unsigned> blocks;
};

} // namespace

OperationListing compiler::listOperations(const CompileRequest &given) {
  CompileRequest request = given;
  std::string stage = request.irText.empty() ? sourceStage : request.irStage;
  request.lastStage = stage == "ttir" ? sourceStage : stage; // TTIR counts as source, which the first stage follows
  OperationListing listing;
  runStages(request, [&](const StageDriver &driver, const CompiledKernel &kernel) {
    if (!driver.module()) {
      std::string message = "the stage `" + request.irStage + "` has no operations of MLIR";
      throw CompilationError(CompilationError::Kind::General, "error: " + message, message, 0, 0);
    }
    listing.text = kernel.artifacts.at(stage);
    Lister(listing).list(*driver.module());
  });
  return listing;
}
