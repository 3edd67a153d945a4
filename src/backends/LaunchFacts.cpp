#include "backends/LaunchFacts.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

#include <array>

namespace triton::backends {

static constexpr llvm::StringLiteral key = "triton.launch";

using Numbers = std::array<int64_t, 6>;
constexpr std::size_t fewestNumbers = 5; ///< of texts from before a program could have several blocks

/// The numbers in the order in which texts have them.
static Numbers numbersOf(const base::StageResults &results) {
  return {results.numWarps,
          results.launchWarps,
          results.sharedBytes,
          int64_t(results.tensorMaps.size()),
          int64_t(results.messages.size()),
          results.blocks};
}

static llvm::Error setNumbers(const Numbers &numbers, base::StageResults &results) {
  if (numbers[3] != int64_t(results.tensorMaps.size()) || numbers[4] != int64_t(results.messages.size()))
    return llvm::createStringError("the kernel takes maps of tensors or a buffer for messages, which only its TTGIR "
                                   "describes; compile that instead");
  results.numWarps = int(numbers[0]);
  results.launchWarps = int(numbers[1]);
  results.sharedBytes = numbers[2];
  results.blocks = int(numbers[5]);
  return llvm::Error::success();
}

static llvm::Error malformed() {
  return llvm::createStringError("`" + key +
                                 "` must hold six numbers: warps, warps that a launch starts where these are more, "
                                 "bytes of shared memory, maps of tensors, messages, blocks of a program");
}

static llvm::Error missing() {
  return llvm::createStringError(
      "the kernel uses shared memory whose size the text does not say; give the array a size, "
      "or keep `" +
      key + "`, which this compiler writes into its texts");
}

void writeLaunchFacts(llvm::Module &module, const base::StageResults &results) {
  llvm::LLVMContext &context = module.getContext();
  llvm::SmallVector<llvm::Metadata *> operands;
  for (int64_t number : numbersOf(results))
    operands.push_back(
        llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), uint64_t(number))));
  module.getOrInsertNamedMetadata(key)->addOperand(llvm::MDNode::get(context, operands));
}

llvm::Error readLaunchFacts(const llvm::Module &module, base::StageResults &results) {
  Numbers numbers{0, 0, 0, 0, 0, 1};
  if (const llvm::NamedMDNode *facts = module.getNamedMetadata(key); facts && facts->getNumOperands() == 1) {
    const llvm::MDNode *node = facts->getOperand(0);
    bool isWhole = node->getNumOperands() >= fewestNumbers && node->getNumOperands() <= numbers.size();
    for (std::size_t i = 0; isWhole && i < node->getNumOperands(); ++i) {
      auto *number = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(i));
      isWhole = number && number->getSExtValue() >= 0;
      if (isWhole)
        numbers[i] = number->getSExtValue();
    }
    return isWhole ? setNumbers(numbers, results) : malformed();
  }
  constexpr unsigned sharedMemory = 3; // the address space of NVIDIA's and AMD's targets
  for (const llvm::GlobalVariable &variable : module.globals()) {
    auto *array = llvm::dyn_cast<llvm::ArrayType>(variable.getValueType());
    bool isUnsized = variable.getAddressSpace() == sharedMemory && array && array->getNumElements() == 0;
    if (isUnsized && results.sharedBytes == 0)
      return missing();
  }
  return llvm::Error::success();
}

std::string launchFactsLine(llvm::StringRef comment, const base::StageResults &results) {
  std::string line = (comment + " " + key + ":").str();
  for (int64_t number : numbersOf(results))
    line += " " + std::to_string(number);
  return line + "\n";
}

llvm::Error readLaunchFacts(llvm::StringRef assembly, llvm::StringRef unsized, base::StageResults &results) {
  std::size_t at = assembly.rfind((key + ": ").str());
  if (at == llvm::StringRef::npos)
    return !unsized.empty() && assembly.contains(unsized) && results.sharedBytes == 0 ? missing()
                                                                                      : llvm::Error::success();
  Numbers numbers{0, 0, 0, 0, 0, 1};
  llvm::StringRef rest = assembly.drop_front(at + key.size() + 1).take_until([](char c) { return c == '\n'; });
  for (auto [i, number] : llvm::enumerate(numbers)) {
    rest = rest.trim();
    if (rest.empty() && i >= fewestNumbers)
      break;
    if (rest.consumeInteger(10, number) || number < 0)
      return malformed();
  }
  return setNumbers(numbers, results);
}

} // namespace triton::backends
