#include "language_server/SignatureGuess.h"

#include "language_server/GuessSearch.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::language_server {

std::string guessSignature(const frontend::Function &function) {
  constexpr std::chrono::milliseconds maximumTime(500);
  std::vector<ParameterGuess> parameters = guessParameters(function, /*isHelper=*/false);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  RunLimit limit{nullptr, std::chrono::steady_clock::now() + maximumTime};
  SearchResult result = searchGuess(context, function, parameters, /*choice=*/{}, /*verdicts=*/{}, limit);
  std::string signature;
  for (const frontend::KernelArgument &argument : chosenArguments(parameters, result.choice)) {
    signature += signature.empty() ? "" : ",";
    signature += describe(argument);
    if (argument.divisibility > 1)
      signature += ":" + std::to_string(argument.divisibility);
  }
  return signature;
}

} // namespace triton::language_server
