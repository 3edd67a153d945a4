#include "backends/ExtraOptions.h"

#include "llvm/ADT/StringExtras.h"

namespace triton::backends {

static bool parse(llvm::StringRef text, bool &value) {
  value = text.equals_insensitive("true") || text == "1";
  return value || text.equals_insensitive("false") || text == "0";
}

static bool parse(llvm::StringRef text, unsigned &value) { return !text.getAsInteger(10, value); }

static bool parse(llvm::StringRef text, std::string &value) {
  value = text.str();
  return true;
}

template <typename T>
static llvm::Error read(const base::Options &options, const std::string &name, llvm::StringRef rule, T &value) {
  auto given = options.extra.find(name);
  if (given == options.extra.end() || given->second == "None" || parse(given->second, value))
    return llvm::Error::success();
  return llvm::createStringError(("the option `" + name + "` is `" + given->second + "`; it must be " + rule).str());
}

llvm::Error readExtra(const base::Options &options, const std::string &name, llvm::StringRef rule, bool &value) {
  return read(options, name, rule, value);
}

llvm::Error readExtra(const base::Options &options, const std::string &name, llvm::StringRef rule, unsigned &value) {
  return read(options, name, rule, value);
}

llvm::Error readExtra(const base::Options &options, const std::string &name, llvm::StringRef rule, std::string &value) {
  return read(options, name, rule, value);
}

bool isSet(const base::Options &options, const std::string &name) {
  auto given = options.extra.find(name);
  bool value = false;
  return given != options.extra.end() && parse(given->second, value) && value;
}

llvm::Error checkStages(const base::Options &options) {
  if (options.numStages >= 0)
    return llvm::Error::success();
  return llvm::createStringError("the option `num_stages` is " + std::to_string(options.numStages) +
                                 "; it must be 0 or more");
}

} // namespace triton::backends
