#include "language_server/SignatureGuess.h"

#include "language_server/GuessSearch.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::language_server {

std::vector<GuessedItem> guessSignature(const frontend::Function &function) {
  constexpr std::chrono::milliseconds maximumTime(500);
  std::vector<ParameterGuess> parameters = guessParameters(function, /*isHelper=*/false);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  RunLimit limit{nullptr, std::chrono::steady_clock::now() + maximumTime};
  SearchResult result = searchGuess(context, function, parameters, /*choice=*/{}, /*verdicts=*/{}, limit);
  std::vector<GuessedItem> items;
  std::vector<frontend::KernelArgument> arguments = chosenArguments(parameters, result.choice);
  for (auto [parameter, chosen, argument] : llvm::zip_equal(parameters, result.choice, arguments)) {
    std::string text = describe(argument);
    if (argument.divisibility > 1)
      text += ":" + std::to_string(argument.divisibility);
    items.push_back({parameter.name, std::move(text), parameter.candidates[chosen].reason});
  }
  return items;
}

} // namespace triton::language_server
