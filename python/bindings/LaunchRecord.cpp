#include "LaunchRecord.h"
#include "LaunchFrames.h"

#include <algorithm>

namespace triton::python {

/// An object of one of these classes never changes what it adds to a key, and refers to no other object.
static bool isAtom(PyObject *object) {
  return object == Py_None || PyBool_Check(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
         PyUnicode_CheckExact(object);
}

/// Whether `value` is `known` or an equal integer. Equal objects of other classes need not be found equal.
static bool isSame(PyObject *known, PyObject *value) {
  if (value == known)
    return true;
  if (!known || !PyLong_CheckExact(known) || !PyLong_CheckExact(value))
    return false;
  int knownOverflow = 0, overflow = 0;
  long long expected = PyLong_AsLongLongAndOverflow(known, &knownOverflow);
  return PyLong_AsLongLongAndOverflow(value, &overflow) == expected && !knownOverflow && !overflow;
}

LaunchRecord::LaunchRecord(std::span<const runtime::ParameterRule> rules, const CallView &call, LaunchDevice device,
                           base::ArgumentRanges ranges, uint64_t settings)
    : settings(settings) {
  FrameScope scope;
  scope.frame.device = device;
  scope.frame.ranges = ranges;
  isUsable = noteAll(rules, call, scope.frame);
  PyErr_Clear();
}

bool LaunchRecord::noteAll(std::span<const runtime::ParameterRule> rules, const CallView &call, LaunchFrame &frame) {
  arguments.reserve(rules.size());
  for (size_t i = 0; i < rules.size(); ++i) {
    frame.clearArguments();
    if (!note(rules[i], call.values[i], frame))
      return false;
  }
  for (const auto &[name, value] : call.options) {
    if (!isAtom(value))
      return false;
    options.emplace_back(Reference::borrow(name), Reference::borrow(value));
  }
  return true;
}

bool LaunchRecord::note(const runtime::ParameterRule &rule, PyObject *value, LaunchFrame &frame) {
  if (!specialize(rule, value, frame))
    return false;
  Argument argument;
  argument.isRuntime = frame.specialized.slots.size() == 1 && frame.specialized.key.size() == 1;
  argument.firstWord = wordCount;
  wordCount += frame.specialized.key.size();
  if (argument.isRuntime) {
    argument.slot = frame.specialized.slots.front();
  } else if (!frame.specialized.slots.empty()) {
    return false; // a tuple or a descriptor, whose parts may change
  }
  if (isAtom(value))
    argument.object = Reference::borrow(value);
  else if (!argument.isRuntime) {
    PyObject *first = firstOfEqual(frame);
    if (!first)
      return false;
    argument.object = Reference::borrow(first);
  }
  arguments.push_back(std::move(argument));
  return true;
}

bool LaunchRecord::hasOptions(const CallView &call) const {
  if (call.options.size() != options.size())
    return false;
  for (size_t i = 0; i < options.size(); ++i)
    if (call.options[i].first != options[i].first.get() || !isSame(options[i].second.get(), call.options[i].second))
      return false;
  return true;
}

/// Leaves the key empty where all words are the variant's.
bool LaunchRecord::readAll(std::span<const runtime::ParameterRule> rules, const CallView &call,
                           const std::vector<uint64_t> &variantKey, LaunchFrame &frame) const {
  std::vector<uint64_t> &key = frame.specialized.key;
  auto wordAt = [&](size_t i) { return variantKey.begin() + ptrdiff_t(i); };
  bool isOther = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &known = arguments[i];
    PyObject *value = call.values[i];
    auto begin = wordAt(known.firstWord),
         end = wordAt(i + 1 < arguments.size() ? arguments[i + 1].firstWord : wordCount);
    if (value == known.object.get() || (!known.isRuntime && isSame(known.object.get(), value))) {
      if (known.isRuntime)
        frame.specialized.slots.push_back(known.slot);
      if (isOther)
        key.insert(key.end(), begin, end);
      continue;
    }
    if (!specialize(rules[i], value, frame))
      return false;
    if (isOther)
      continue;
    isOther = !std::equal(key.begin(), key.end(), begin, end);
    if (isOther)
      key.insert(key.begin(), variantKey.begin(), begin);
    else
      key.clear();
  }
  if (isOther)
    key.insert(key.end(), wordAt(wordCount), variantKey.end());
  return true;
}

LaunchRecord::Match LaunchRecord::replay(std::span<const runtime::ParameterRule> rules, const CallView &call,
                                         uint64_t settings, const std::vector<uint64_t> &variantKey,
                                         LaunchFrame &frame) const {
  if (!isUsable || settings != this->settings || !hasOptions(call))
    return Match::None;
  if (readAll(rules, call, variantKey, frame)) [[likely]]
    return frame.specialized.key.empty() ? Match::Variant : Match::Key;
  PyErr_Clear(); // the long way meets it again
  frame.clearArguments();
  return Match::None;
}

} // namespace triton::python
