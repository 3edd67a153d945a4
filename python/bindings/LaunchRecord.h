// The short way of launches that repeat one another. A record has, for each argument of a variant's launch, the words
// that it added to the key. A later launch holds its arguments against them one by one: the same immutable object needs
// no look at all, another number or array is classified and must give the same word. Then no key is made or compared.
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

  /// Whether this call selects the variant, too. If so, the frame has its slots, and what belongs to them, but no key;
  /// otherwise it has no arguments. Sets no exception.
  bool replay(std::span<const runtime::ParameterRule> rules, const CallView &call, uint64_t settings,
              LaunchFrame &frame) const;

private:
  struct Argument {
    Reference object; ///< immutable, or null: what keeps these words and this slot
    bool isRuntime = false;
    uint64_t word = 0, slot = 0; ///< of a run-time argument
  };

  bool note(const runtime::ParameterRule &rule, PyObject *value, LaunchFrame &frame);
  bool noteAll(std::span<const runtime::ParameterRule> rules, const CallView &call, LaunchFrame &frame);
  bool match(std::span<const runtime::ParameterRule> rules, const CallView &call, LaunchFrame &frame) const;
  bool hasOptions(const CallView &call) const;

  bool isUsable = false;
  uint64_t settings;
  std::vector<Argument> arguments;
  std::vector<std::pair<Reference, Reference>> options;
};

} // namespace triton::python
