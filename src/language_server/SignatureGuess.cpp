#include "language_server/SignatureGuess.h"

#include "language_server/GuessSearch.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::language_server {

std::vector<GuessedItem> guessSignature(const frontend::Function &function) {
  constexpr std::chrono::milliseconds maximumTime(500);
  std::shared_ptr<const Source> file = settings::findSettingsFile(function.source->fileName());
  settings::KernelSettings settings = settings::settingsOf(function, file.get());
  std::vector<ParameterGuess> parameters = guessParameters(function, /*isHelper=*/false, settings);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  RunOptions options;
  options.machine = machineOf(settings);
  options.deadline = std::chrono::steady_clock::now() + maximumTime;
  SearchResult result = searchGuess(context, function, parameters, /*choice=*/{}, /*verdicts=*/{}, options);
  std::vector<GuessedItem> items;
  std::vector<frontend::KernelArgument> arguments = chosenArguments(parameters, result.choice);
  for (auto [parameter, chosen, argument] : llvm::zip_equal(parameters, result.choice, arguments)) {
    auto given = settings.items.find(parameter.name);
    bool isGiven = given != settings.items.end();
    std::string text = isGiven ? given->second : describe(argument);
    if (argument.divisibility > 1 && !isGiven)
      text += ":" + std::to_string(argument.divisibility);
    items.push_back({parameter.name, std::move(text), parameter.candidates[chosen].reason, isGiven});
  }
  return items;
}

} // namespace triton::language_server
