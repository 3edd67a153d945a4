// The semantics of operators on runtime values: types, broadcasting, conversions, indexing, attributes. Every function
// emits at the lowering's current place and reports errors at `Lowering::range` unless it takes a range.
#pragma once

#include "frontend/AST.h"
#include "frontend/lowering/Value.h"
#include "frontend/lowering/semantics/Promotion.h"
#include "ir/EncodingInference.h"

#include <utility>

namespace triton::frontend {

class Lowering;

// ---- Numbers and tensors (Constants.cpp) ----

/// A number as a scalar of its natural dtype, a tensor unchanged. Reports anything else.
Tensor toTensor(Lowering &lowering, const Value &value);
/// A tensor unchanged, a number as a scalar of `type`.
Tensor toTensor(Lowering &lowering, const Value &value, ScalarType type);
/// A constant scalar or block.
Tensor constantTensor(Lowering &lowering, const Number &number, const TensorType &type);
/// Whether it is a tensor or a number.
bool isNumeric(const Value &value);

// ---- Operators (Operators.cpp, Comparisons.cpp) ----

/// `left op right` where at least one side exists at run time. If `checksOverflow` is false, the overflow checks that
/// the options may ask for are left out.
Value binaryOperator(Lowering &lowering, ast::BinaryOperator op, const Value &left, const Value &right,
                     bool checksOverflow = true);
Value unaryOperator(Lowering &lowering, ast::UnaryOperator op, const Value &operand);
Value comparison(Lowering &lowering, ast::CompareOperator op, const Value &left, const Value &right);
/// `left and right` or `left or right` of 1-bit operands, both of which are evaluated. The operator on blocks gives a
/// warning; the functions with the same effect do not.
Value logicalOperator(Lowering &lowering, ast::BoolOperator op, const Value &left, const Value &right,
                      bool warnsOfBlocks = true);
/// The operands of an elementwise operation in their common type and shape.
llvm::SmallVector<Tensor, 3> promoteOperands(Lowering &lowering, llvm::ArrayRef<Value> values,
                                             OperatorClass operatorClass, llvm::StringRef operatorText);
std::pair<Tensor, Tensor> promoteOperands(Lowering &lowering, const Value &left, const Value &right,
                                          OperatorClass operatorClass, llvm::StringRef operatorText);
/// The same for values of which one is selected. They may also be pointers of one type.
std::pair<Tensor, Tensor> promoteAlternatives(Lowering &lowering, const Value &left, const Value &right,
                                              llvm::StringRef operatorText);
/// The int1 scalar that an `if`, `while` or conditional expression tests. Blocks of one element are accepted.
Tensor truthValue(Lowering &lowering, const Tensor &tensor);

// ---- Conversions (Casts.cpp) ----

enum class Rounding { Default, NearestEven, TowardZero };

Tensor cast(Lowering &lowering, const Tensor &tensor, ElementType type, Rounding rounding = Rounding::Default);
Tensor bitcast(Lowering &lowering, const Tensor &tensor, ElementType type);
/// The implicit conversion of a value to the element type of its destination: numbers take that type, tensors are cast.
Tensor convertTo(Lowering &lowering, const Value &value, ElementType type);

// ---- Shapes (Shapes.cpp) ----

/// An error if a block has more elements than there can be; of operands that are small enough, a result may be too
/// large.
void checkElementCount(Lowering &lowering, llvm::ArrayRef<int64_t> shape);

/// The common shape of two operands, and in Gluon their layout, with the elements of `left`. The lower rank gets
/// leading ones, and a pair of sizes must be equal or contain 1.
TensorType commonType(Lowering &lowering, const TensorType &left, const TensorType &right);
std::pair<Tensor, Tensor> broadcast(Lowering &lowering, const Tensor &left, const Tensor &right);
/// In the shape of `block`: splats a scalar; grows dimensions of size 1 of a block of the same rank.
Tensor broadcastTo(Lowering &lowering, const Tensor &tensor, const TensorType &block);
/// A block of Gluon whose layout is to be inferred, with this one; another tensor unchanged.
Tensor setAutoLayout(Lowering &lowering, const Tensor &tensor, mlir::Attribute layout);
/// As `broadcastTo`, but first adds leading dimensions if the rank is lower.
Tensor broadcastWithRank(Lowering &lowering, const Tensor &tensor, const TensorType &block);
/// A new dimension of size 1 at `axis` of the result, which must be in range.
Tensor expandDims(Lowering &lowering, const Tensor &tensor, unsigned axis);
Tensor reshape(Lowering &lowering, const Tensor &tensor, llvm::ArrayRef<int64_t> shape, bool canReorder);
Tensor permute(Lowering &lowering, const Tensor &tensor, llvm::ArrayRef<int64_t> order);
/// Two blocks of one type side by side in a new last dimension of size 2.
Tensor join(Lowering &lowering, const Tensor &left, const Tensor &right);
/// What `join` has joined.
std::pair<Tensor, Tensor> split(Lowering &lowering, const Tensor &tensor);
/// The type without the dimension `axis`.
TensorType reducedType(Lowering &lowering, const TensorType &type, unsigned axis);
/// The type of the result, of this shape, of an operation on `operand`. In Gluon `infer` derives its layout.
TensorType inferType(Lowering &lowering, const TensorType &operand, llvm::ArrayRef<int64_t> shape,
                     llvm::function_ref<mlir::Attribute(const tt::EncodingInferenceInterface &)> infer);
/// Checks the sizes of a block: powers of two, product within the limit.
void checkBlockShape(Lowering &lowering, llvm::ArrayRef<int64_t> shape, SourceRange range);

// ---- Layouts (Layouts.cpp) ----

/// The encoding of a layout, an object of Python. Reports other values, and layouts that cannot exist.
mlir::Attribute encodingOf(Lowering &lowering, const Value &layout, SourceRange range);
/// The layout of an encoding.
ObjectRef layoutObject(Lowering &lowering, mlir::Attribute layout);
/// "cuda:90".
std::string describeTarget(const Target &target);
/// Reports at `range` that the target lacks what `user` needs of compute capability 9.0.
void requireHopper(Lowering &lowering, SourceRange range, const std::string &user);
/// The same where its matrix units have no memory of their own.
void requireTensorMemory(Lowering &lowering, SourceRange range, const std::string &user);
std::string layoutText(mlir::Attribute layout);

// ---- Aggregates (LowerAggregate.cpp) ----

/// A copy of an aggregate in which the fields `names` are replaced. Reports at `range` names that are not fields and
/// values that do not fit.
Value replaceFields(Lowering &lowering, const TupleValue &object, llvm::ArrayRef<std::string> names,
                    llvm::ArrayRef<Value> values, SourceRange range);

// ---- Tensor descriptors (Descriptors.cpp) ----

/// The descriptor of the array at `base` that is accessed in blocks of `type`; `shape` is int32, `strides` int64.
TensorDescriptor createDescriptor(Lowering &lowering, mlir::Value base, const TensorType &type,
                                  llvm::ArrayRef<Tensor> shape, llvm::ArrayRef<Tensor> strides, bool padsWithNaN,
                                  bool roundsToTF32 = false);

// ---- Indexing and attributes (Attributes.cpp, DtypeAttributes.cpp) ----

/// `tensor[index]` where the index consists of `:` and `None`.
Value subscript(Lowering &lowering, const Tensor &tensor, const ast::Expression &index);
/// `value.name` of a tensor, block pointer, tensor descriptor or dtype; none when there is no such attribute.
std::optional<Value> attribute(Lowering &lowering, const Value &value, llvm::StringRef name);

} // namespace triton::frontend
