// Operators and conversions on compile-time values, with Python's semantics: integers of any width, floor division,
// strings, tuples.
#pragma once

#include "frontend/AST.h"
#include "frontend/lowering/Value.h"

namespace triton::frontend {

class Lowering;

/// `left op right` of compile-time values or tuples. Reports operands that the operator does not take.
Value evaluateBinary(Lowering &lowering, ast::BinaryOperator op, const Value &left, const Value &right,
                     SourceRange range);
Value evaluateUnary(Lowering &lowering, ast::UnaryOperator op, const Value &operand, SourceRange range);
/// Also `in`, `not in`; not `is`, see isIdentical.
Value evaluateCompare(Lowering &lowering, ast::CompareOperator op, const Value &left, const Value &right,
                      SourceRange range);
/// `left is right`.
bool isIdentical(const Value &left, const Value &right);

/// Python's truth of a compile-time value or of a tuple; none for a runtime value.
std::optional<bool> constantTruth(const Value &value);

/// Python's `str(value)` of a compile-time value or of a tuple of them; repr() of Object.h is the other form.
std::string pythonString(const Value &value);
std::string pythonRepr(const Value &value);

/// Python's rules for the indices of a slice of a sequence of that length.
struct SliceIndices {
  int64_t start, step, count;
};
SliceIndices sliceIndices(Lowering &lowering, const Value &lower, const Value &upper, const Value &step, int64_t length,
                          SourceRange range);
/// `value[index]` of a string or tuple by a compile-time index, which stands at `range`.
Value evaluateIndex(Lowering &lowering, const Value &value, const Value &index, SourceRange range);
/// `value[lower:upper:step]` of a string or tuple.
Value evaluateSlice(Lowering &lowering, const Value &value, const Value &lower, const Value &upper, const Value &step,
                    SourceRange range);

} // namespace triton::frontend
