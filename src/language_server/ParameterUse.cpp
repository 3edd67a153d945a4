#include "language_server/ParameterUse.h"

#include "frontend/lowering/builtins/Builtin.h"
#include "frontend/lowering/builtins/Prelude.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace triton::language_server {

using frontend::ObjectRef;
using llvm::dyn_cast;

void ParameterUse::add(const ParameterUse &other) {
  isPointer |= other.isPointer;
  isIndex |= other.isIndex;
  isDescriptor |= other.isDescriptor;
  isCalled |= other.isCalled;
  isDtype |= other.isDtype;
  isTested |= other.isTested;
  isComparedToNone |= other.isComparedToNone;
  isRepetition |= other.isRepetition;
  isBound |= other.isBound;
  isComposite |= other.isComposite;
  llvm::append_range(defaults, other.defaults);
  strings.insert(other.strings.begin(), other.strings.end());
  llvm::append_range(masks, other.masks);
  llvm::append_range(equals, other.equals);
}

namespace {

/// The last part of a dotted name: "load" of `tl.load`; empty for other expressions.
llvm::StringRef lastName(const ast::Expression &expression) {
  if (auto *name = dyn_cast<ast::Name>(&expression))
    return name->id;
  if (auto *attribute = dyn_cast<ast::Attribute>(&expression))
    return attribute->attribute.name;
  return "";
}

/// The builtins whose first argument is an address.
bool accessesMemory(llvm::StringRef name) {
  return name == "load" || name == "store" || name == "make_block_ptr" || name == "make_tensor_descriptor" ||
         name.starts_with("atomic_");
}

bool isDescriptorMethod(llvm::StringRef name) {
  return name == "load" || name == "store" || name == "gather" || name == "scatter";
}

/// The builtins that take a dtype, by the position of its argument.
std::optional<unsigned> dtypePosition(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<unsigned>>(name)
      .Cases({"zeros", "cast"}, 1)
      .Case("full", 2)
      .Default(std::nullopt);
}

/// Limits how deep calls are followed.
constexpr unsigned maximumCallDepth = 12;

class Collector {
public:
  Collector(const frontend::Function &function, unsigned depth) : function(function), depth(depth) {}

  std::vector<ParameterUse> run() {
    for (const ast::Statement *statement : function.definition->body)
      collectAssignments(*statement);
    for (const ast::Statement *statement : function.definition->body)
      visit(*statement);
    std::vector<ParameterUse> result;
    for (const ast::Parameter &parameter : function.definition->parameters)
      result.push_back(uses[parameter.name.name]);
    return result;
  }

private:
  //===--- Which names an address comes from ---===//

  void collectAssignments(const ast::Node &node) {
    if (auto *assign = dyn_cast<ast::Assign>(&node))
      for (const ast::Expression *target : assign->targets)
        assignTo(*target, *assign->value);
    else if (auto *annotated = dyn_cast<ast::AnnAssign>(&node); annotated && annotated->value)
      assignTo(*annotated->target, *annotated->value);
    ast::forEachChild(node, [&](const ast::Node &child) { collectAssignments(child); });
  }

  void assignTo(const ast::Expression &target, const ast::Expression &value) {
    if (auto *name = dyn_cast<ast::Name>(&target)) {
      sources[name->id].push_back(&value);
      return;
    }
    auto *targets = dyn_cast<ast::Tuple>(&target);
    auto *values = dyn_cast<ast::Tuple>(&value);
    if (targets && values && targets->elements.size() == values->elements.size())
      for (auto [element, part] : llvm::zip_equal(targets->elements, values->elements))
        assignTo(*element, *part);
  }

  /// Applies `mark` to the parameters that the address may come from. A sum is an address because of its first operand
  /// that comes from a parameter.
  bool markRoots(const ast::Expression &expression, bool ParameterUse::*mark, llvm::StringSet<> &seen) {
    if (auto *name = dyn_cast<ast::Name>(&expression)) {
      if (isParameter(name->id)) {
        uses[name->id].*mark = true;
        return true;
      }
      if (!seen.insert(name->id).second)
        return true; // `p = p + step`: what p comes from is known from the other assignment
      bool isFound = false;
      for (const ast::Expression *source : sources.lookup(name->id))
        isFound |= markRoots(*source, mark, seen);
      return isFound;
    }
    if (auto *binary = dyn_cast<ast::BinOp>(&expression)) {
      bool isSum = binary->op == ast::BinaryOperator::Add || binary->op == ast::BinaryOperator::Sub;
      if (!isSum)
        return false;
      bool isLeft = markRoots(*binary->left, mark, seen);
      bool isFound = isLeft || markRoots(*binary->right, mark, seen);
      if (isFound && mark == &ParameterUse::isPointer)
        markIndices(isLeft ? *binary->right : *binary->left);
      return isFound;
    }
    if (auto *subscript = dyn_cast<ast::Subscript>(&expression))
      return isTensorIndex(*subscript->index) && markRoots(*subscript->value, mark, seen);
    if (auto *conditional = dyn_cast<ast::IfExp>(&expression)) {
      bool isFirst = markRoots(*conditional->body, mark, seen);
      return markRoots(*conditional->orElse, mark, seen) || isFirst;
    }
    auto *call = dyn_cast<ast::Call>(&expression);
    if (call && lastName(*call->function) == "where" && call->arguments.size() == 3) {
      bool isFirst = markRoots(*call->arguments[1], mark, seen);
      return markRoots(*call->arguments[2], mark, seen) || isFirst;
    }
    bool isWrapper = call && !call->arguments.empty() &&
                     llvm::StringSwitch<bool>(lastName(*call->function))
                         .Cases({"multiple_of", "max_contiguous", "max_constancy", "broadcast_to", "advance"}, true)
                         .Default(false);
    return isWrapper && markRoots(*call->arguments.front(), mark, seen);
  }
  void markRoots(const ast::Expression &expression, bool ParameterUse::*mark) {
    llvm::StringSet<> seen;
    markRoots(expression, mark, seen);
  }

  /// Marks the pointers from which the numbers in an expression are loaded.
  void markIndices(const ast::Expression &expression) {
    if (auto *name = dyn_cast<ast::Name>(&expression)) {
      if (indexNames.insert(name->id).second)
        for (const ast::Expression *source : sources.lookup(name->id))
          markIndices(*source);
      return;
    }
    auto *call = dyn_cast<ast::Call>(&expression);
    if (call && lastName(*call->function) == "load" && !call->arguments.empty())
      return markRoots(*call->arguments.front(), &ParameterUse::isIndex);
    ast::forEachChild(expression, [&](const ast::Node &child) {
      if (auto *inner = dyn_cast<ast::Expression>(&child))
        markIndices(*inner);
    });
  }

  bool isParameter(llvm::StringRef name) const {
    return llvm::any_of(function.definition->parameters,
                        [&](const ast::Parameter &parameter) { return parameter.name.name == name; });
  }
  void markName(const ast::Expression &expression, bool ParameterUse::*mark) {
    if (auto *name = dyn_cast<ast::Name>(&expression); name && isParameter(name->id))
      uses[name->id].*mark = true;
  }

  //===--- Uses ---===//

  void visit(const ast::Node &node) {
    if (auto *call = dyn_cast<ast::Call>(&node))
      visitCall(*call);
    else if (auto *compare = dyn_cast<ast::Compare>(&node))
      visitCompare(*compare);
    else if (auto *operation = dyn_cast<ast::BinOp>(&node); operation && operation->op == ast::BinaryOperator::BitAnd)
      visitMask(*operation);
    else if (auto *branch = dyn_cast<ast::If>(&node))
      visitTest(*branch->test);
    else if (auto *conditional = dyn_cast<ast::IfExp>(&node))
      visitTest(*conditional->test);
    else if (auto *negated = dyn_cast<ast::UnaryOp>(&node); negated && negated->op == ast::UnaryOperator::Not)
      visitTest(*negated->operand);
    else
      visitElements(node);
    ast::forEachChild(node, [&](const ast::Node &child) { visit(child); });
  }

  /// `x[0]`, `x.field`, `a, b = x`, `for a in x`: things that tensors do not have.
  void visitElements(const ast::Node &node) {
    auto *subscript = dyn_cast<ast::Subscript>(&node);
    if (subscript && !isTensorIndex(*subscript->index))
      markName(*subscript->value, &ParameterUse::isComposite);
    if (auto *attribute = dyn_cast<ast::Attribute>(&node); attribute && !isTensorAttribute(attribute->attribute.name))
      markName(*attribute->value, &ParameterUse::isComposite);
    if (auto *assign = dyn_cast<ast::Assign>(&node);
        assign && llvm::isa<ast::Tuple, ast::List>(assign->targets.front()))
      markName(*assign->value, &ParameterUse::isComposite);
    if (auto *loop = dyn_cast<ast::For>(&node))
      markName(*loop->iterable, &ParameterUse::isComposite);
    if (auto *starred = dyn_cast<ast::Starred>(&node))
      markName(*starred->value, &ParameterUse::isComposite);
    if (auto *comprehension = dyn_cast<ast::ListComp>(&node))
      for (const ast::Comprehension &generator : comprehension->generators)
        markName(*generator.iterable, &ParameterUse::isComposite);
  }

  static bool isTensorIndex(const ast::Expression &index) {
    if (auto *tuple = dyn_cast<ast::Tuple>(&index))
      return llvm::all_of(tuple->elements, [](const ast::Expression *element) { return isTensorIndex(*element); });
    auto *constant = dyn_cast<ast::Constant>(&index);
    bool isWord = constant && (constant->constantKind == ast::ConstantKind::None ||
                               constant->constantKind == ast::ConstantKind::Ellipsis);
    return isWord || llvm::isa<ast::Slice>(index);
  }

  static bool isTensorAttribute(llvm::StringRef name) {
    static constexpr llvm::StringLiteral names[] = {"T", "dtype", "shape", "type", "numel"};
    return llvm::is_contained(names, name) || frontend::findMethod(name, frontend::TensorMethod) ||
           frontend::preludeMethod(name);
  }

  void visitTest(const ast::Expression &test) {
    markName(test, &ParameterUse::isTested);
    if (auto *operation = dyn_cast<ast::BoolOp>(&test))
      for (const ast::Expression *value : operation->values)
        visitTest(*value);
  }

  static std::optional<int64_t> integerOf(const ast::Expression &expression) {
    auto *constant = dyn_cast<ast::Constant>(&expression);
    if (!constant || constant->constantKind != ast::ConstantKind::Integer)
      return std::nullopt;
    return constant->integer().tryExtValue();
  }

  void visitMask(const ast::BinOp &operation) {
    auto *name = dyn_cast<ast::Name>(operation.left);
    std::optional<int64_t> mask = integerOf(*operation.right);
    if (name && isParameter(name->id) && mask && *mask > 0)
      uses[name->id].masks.push_back(*mask);
  }

  void visitCompare(const ast::Compare &compare) {
    llvm::SmallVector<const ast::Expression *, 3> sides = {compare.left};
    llvm::append_range(sides, compare.comparators);
    for (const ast::Expression *side : sides) {
      auto *name = dyn_cast<ast::Name>(side);
      if (!name || !isParameter(name->id))
        continue;
      for (const ast::Expression *other : sides) {
        auto *constant = dyn_cast<ast::Constant>(other);
        if (constant && constant->constantKind == ast::ConstantKind::None)
          uses[name->id].isComparedToNone = true;
        if (constant && constant->constantKind == ast::ConstantKind::String)
          uses[name->id].strings.insert(constant->text.str());
        std::optional<int64_t> integer = integerOf(*other);
        if (integer && llvm::all_equal(compare.operators) && compare.operators.front() == ast::CompareOperator::Eq)
          uses[name->id].equals.push_back(*integer);
      }
    }
  }

  void visitCall(const ast::Call &call) {
    markName(*call.function, &ParameterUse::isCalled);
    llvm::StringRef name = lastName(*call.function);
    auto *attribute = dyn_cast<ast::Attribute>(call.function);
    if (attribute && isDescriptorMethod(name))
      markName(*attribute->value, &ParameterUse::isDescriptor);
    if (accessesMemory(name)) {
      if (!call.arguments.empty())
        markRoots(*call.arguments.front(), &ParameterUse::isPointer);
      for (const ast::Keyword &keyword : call.keywords)
        if (keyword.name.name == "pointer" || keyword.name.name == "base")
          markRoots(*keyword.value, &ParameterUse::isPointer);
    }
    for (const ast::Keyword &keyword : call.keywords)
      if (keyword.name.name.contains("dtype"))
        markName(*keyword.value, &ParameterUse::isDtype);
    std::optional<unsigned> position = name == "to" && attribute ? std::optional(0u) : dtypePosition(name);
    if (position && *position < call.arguments.size())
      markName(*call.arguments[*position], &ParameterUse::isDtype);
    if (name == "static_range" || name == "range")
      for (const ast::Expression *argument : call.arguments) {
        markMentioned(*argument, name == "range" ? &ParameterUse::isBound : &ParameterUse::isRepetition);
        markIndices(*argument);
      }
    if (name == "len" && !attribute && !call.arguments.empty())
      markName(*call.arguments.front(), &ParameterUse::isComposite);
    if (const frontend::Builtin *builtin = frontend::findBuiltin("triton.language", name))
      visitDefaults(*builtin, call);
    visitCallee(call);
  }

  void visitDefaults(const frontend::Builtin &builtin, const ast::Call &call) {
    auto add = [&](const ast::Expression &argument, const frontend::BuiltinParameter &parameter) {
      auto *name = dyn_cast<ast::Name>(&argument);
      bool isTelling =
          parameter.defaultValue && (parameter.defaultValue->is<std::string>() || parameter.defaultValue->is<bool>());
      if (name && isParameter(name->id) && isTelling)
        uses[name->id].defaults.push_back(parameter.defaultValue);
    };
    for (auto [argument, parameter] : llvm::zip(call.arguments, builtin.parameterList()))
      add(*argument, parameter);
    for (const ast::Keyword &keyword : call.keywords)
      for (const frontend::BuiltinParameter &parameter : builtin.parameterList())
        if (parameter.name == keyword.name.name)
          add(*keyword.value, parameter);
  }

  void markMentioned(const ast::Expression &expression, bool ParameterUse::*mark) {
    auto walk = [&](auto &self, const ast::Node &node) -> void {
      if (auto *inner = dyn_cast<ast::Expression>(&node))
        markName(*inner, mark);
      ast::forEachChild(node, [&](const ast::Node &child) { self(self, child); });
    };
    walk(walk, expression);
  }

  /// What a called function does with its parameters is done with the arguments.
  void visitCallee(const ast::Call &call) {
    auto *name = dyn_cast<ast::Name>(call.function);
    if (!name || !function.scope || depth >= maximumCallDepth || isParameter(name->id))
      return;
    ObjectRef object = function.scope->lookup(std::string_view(name->id.data(), name->id.size()));
    auto *callee = object ? object->get<std::shared_ptr<const frontend::Function>>() : nullptr;
    if (!callee)
      return;
    std::vector<ParameterUse> inner = Collector(**callee, depth + 1).run();
    llvm::ArrayRef<ast::Parameter> parameters = (*callee)->definition->parameters;
    for (auto [argument, use] : llvm::zip(call.arguments, inner))
      pass(*argument, use);
    for (const ast::Keyword &keyword : call.keywords)
      for (auto [parameter, use] : llvm::zip_equal(parameters, inner))
        if (parameter.name.name == keyword.name.name)
          pass(*keyword.value, use);
  }

  void pass(const ast::Expression &argument, const ParameterUse &use) {
    if (use.isPointer)
      markRoots(argument, &ParameterUse::isPointer);
    auto *name = dyn_cast<ast::Name>(&argument);
    if (!name || !isParameter(name->id))
      return;
    bool isPointer = uses[name->id].isPointer;
    uses[name->id].add(use);
    uses[name->id].isPointer |= isPointer;
  }

  const frontend::Function &function;
  unsigned depth;
  llvm::StringMap<llvm::SmallVector<const ast::Expression *, 2>> sources; ///< what is assigned to each local name
  std::map<llvm::StringRef, ParameterUse> uses;
  llvm::StringSet<> indexNames; ///< whose sources are marked as indices
};

} // namespace

std::vector<ParameterUse> parameterUses(const frontend::Function &function) { return Collector(function, 0).run(); }

} // namespace triton::language_server
