// The short way of launches that repeat one another. A record has, for each argument of a variant's launch, the words
// that it added to the key. A later launch holds its arguments against them one by one: the same immutable object needs
// no look at all, another number or array is classified and must give the same words. Then no key is made or compared.
// Where some give other words, as numbers do that are divisible now and then, the key is made of those that were read.
#pragma once

#include "ArgumentSpecializer.h"
#include "PythonReference.h"

#include <span>
#include <utility>
#include <vector>

namespace triton::python {

/// The arguments of a call by parameter, and its options as pairs of name and value. Borrowed.
struct CallView {
  std::span<PyObject *const> values;
  std::span<const std::pair<PyObject *, PyObject *>> options;
};

class LaunchRecord {
public:
  /// Notes the arguments of a call that selected the variant. `device` and `ranges` are those of the call's frame.
  /// Cannot fail: a call with an argument that a record cannot describe, such as a tuple, matches no record.
  LaunchRecord(std::span<const runtime::ParameterRule> rules, const CallView &call, LaunchDevice device,
               base::ArgumentRanges ranges, uint64_t settings);

  enum class Match { Variant, Key, None };

  /// Whether this call selects the variant, whose key is given, too. If so, the frame has its slots, and what belongs
  /// to them, but no key. `Key`: it selects another one, whose key is in the frame as well. `None`: it may select any,
  /// and the frame has no arguments. Sets no exception.
  Match replay(std::span<const runtime::ParameterRule> rules, const CallView &call, uint64_t settings,
               const std::vector<uint64_t> &variantKey, LaunchFrame &frame) const;

private:
  struct Argument {
    Reference object; ///< immutable, or null: what keeps these words and this slot
    bool isRuntime = false;
    uint64_t slot = 0;    ///< of a run-time argument
    size_t firstWord = 0; ///< in the variant's key
  };

  bool note(const runtime::ParameterRule &rule, PyObject *value, LaunchFrame &frame);
  bool noteAll(std::span<const runtime::ParameterRule> rules, const CallView &call, LaunchFrame &frame);
  bool readAll(std::span<const runtime::ParameterRule> rules, const CallView &call,
               const std::vector<uint64_t> &variantKey, LaunchFrame &frame) const;
  bool hasOptions(const CallView &call) const;

  bool isUsable = false;
  uint64_t settings;
  std::vector<Argument> arguments;
  size_t wordCount = 0; ///< of the arguments; those of options and settings follow in the key
  std::vector<std::pair<Reference, Reference>> options;
};

} // namespace triton::python
