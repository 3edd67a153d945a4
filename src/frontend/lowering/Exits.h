// Describes how control has left the statements that are being lowered, by a `break`, `continue` or `return` before
// this place. The paths that have left stay in the same blocks as the others until they reach the end of the loop or
// function. What follows an exit is lowered for the other paths only.
#pragma once

#include "base/Source.h"
#include "frontend/lowering/Value.h"

#include <array>
#include <optional>

namespace triton::frontend {

class Lowering;

enum class ExitKind : uint8_t { Break, Continue, Return };

struct Exits {
  /// By ExitKind: whether control has left in this way, as a constant or an int1 scalar.
  std::array<Value, 3> taken = {Value::boolean(false), Value::boolean(false), Value::boolean(false)};
  /// No path arrives here. Which exit each path has taken may be known only at run time.
  bool isDead = false;
  /// What was returned; undefined on the other paths.
  std::optional<Value> result;
  SourceRange range; ///< of the `return`

  Value &operator[](ExitKind kind) { return taken[unsigned(kind)]; }
  const Value &operator[](ExitKind kind) const { return taken[unsigned(kind)]; }
  /// Whether every path arrives here.
  bool isNone() const;
};

/// `a or b` of constants and int1 scalars.
Value eitherHolds(Lowering &lowering, const Value &a, const Value &b);
/// Whether control has left in any way.
Value hasLeft(Lowering &lowering, const Exits &exits);
/// The flag, a constant or an int1 scalar, as an int1 scalar.
mlir::Value flagValue(Lowering &lowering, const Value &flag);
/// The opposite, for the condition of a branch.
mlir::Value negatedFlag(Lowering &lowering, const Value &flag);

} // namespace triton::frontend
