#include "base/Environment.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <mutex>
#include <unistd.h>

using namespace triton::base;

static void parse(const char *, const char *text, bool &flag) {
  llvm::StringRef value(text);
  flag = value == "1" || value.equals_insensitive("on") || value.equals_insensitive("true") ||
         value.equals_insensitive("y") || value.equals_insensitive("yes");
}

static void parse(const char *, const char *text, std::string &value) { value = text; }

/// Names a text that should be a number once, although each compilation reads it.
static void warnOfText(llvm::StringRef variable, llvm::StringRef text) {
  static std::mutex mutex;
  static auto &told = *new llvm::StringMap<std::string>;
  std::lock_guard lock(mutex);
  std::string &before = told[variable];
  if (before == text)
    return;
  before = text.str();
  llvm::errs() << "warning: " << variable << " is `" << text
               << "`, which is not a whole number, and has no effect; write digits alone\n";
}

static void parse(const char *variable, const char *text, unsigned &number) {
  number = 0;
  if (*text && llvm::StringRef(text).getAsInteger(10, number))
    warnOfText(variable, text);
}

Environment Environment::read() {
  Environment environment;
#define TRITON_ENVIRONMENT(kind, member, variable, inCacheKey, meaning)                                                \
  if (const char *text = std::getenv(variable))                                                                        \
    parse(variable, text, environment.member);
#include "base/Environment.def"
  return environment;
}

bool Environment::isSwitchedOff(const Text &value) {
  bool isOn = true;
  if (!value.empty())
    parse("", value.c_str(), isOn);
  return !isOn;
}

static std::string valueText(bool flag) { return flag ? "1" : ""; }
static std::string valueText(const std::string &text) { return text; }
static std::string valueText(unsigned number) { return number ? std::to_string(number) : ""; }

std::string Environment::cacheKey() const {
  std::string key;
#define TRITON_ENVIRONMENT(kind, member, variable, inCacheKey, meaning)                                                \
  if (inCacheKey)                                                                                                      \
    if (std::string text = valueText(member); !text.empty())                                                           \
      key += variable "=" + text + "\n";
#include "base/Environment.def"
  return key;
}

std::string Environment::homeDirectory() const {
  llvm::SmallString<128> path(home);
  if (path.empty())
    llvm::sys::path::home_directory(path);
  if (path.empty()) {
    // All users share the folder for temporary files, so each gets a folder of its own in it.
    llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, path);
    llvm::sys::path::append(path, "triton-" + std::to_string(geteuid()));
  }
  return std::string(path);
}

std::string Environment::underHome(const char *name) const {
  llvm::SmallString<128> path(homeDirectory());
  llvm::sys::path::append(path, ".triton", name);
  return std::string(path);
}

std::string Environment::cacheDirectory() const { return cacheDir.empty() ? underHome("cache") : cacheDir; }
std::string Environment::dumpDirectory() const { return dumpDir.empty() ? underHome("dump") : dumpDir; }
std::string Environment::overrideDirectory() const { return overrideDir.empty() ? underHome("override") : overrideDir; }
