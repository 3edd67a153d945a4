// `triton._C.libtriton.ir`: the operations of a lowered kernel, for programs that walk them. They are read-only and
// copied out of MLIR, so that Python cannot outlive what they refer to.
#include "Bindings.h"

#include "OperationListing.h"

#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

namespace nb = nanobind;

namespace triton::python {

using compiler::ListedBlock;
using compiler::ListedOperation;

namespace {

/// A value or a region, of which only the identity is known.
struct ListedValue {
  unsigned number;
};
struct ListedRegion {
  unsigned number;
};

/// A block or an operation, with the listing that it is part of.
struct BlockView {
  std::shared_ptr<const compiler::OperationListing> listing;
  unsigned number;
  const ListedBlock &get() const { return listing->blocks[number]; }
};
struct OperationView {
  std::shared_ptr<const compiler::OperationListing> listing;
  size_t index;
  const ListedOperation &get() const { return listing->operations[index]; }
};

/// Programs make one before they ask for operations. There is nothing to set up.
struct Context {};

unsigned at(const std::vector<unsigned> &numbers, size_t index) {
  if (index >= numbers.size())
    throw nb::index_error(
        ("the index " + std::to_string(index) + " is not below " + std::to_string(numbers.size())).c_str());
  return numbers[index];
}

/// The attribute of that name if it is a `Type`, else None.
template <typename Type> nb::object attribute(const OperationView &view, const std::string &name) {
  auto found = view.get().attributes.find(name);
  if (found == view.get().attributes.end() || !std::holds_alternative<Type>(found->second))
    return nb::none();
  return nb::cast(std::get<Type>(found->second));
}

nb::object blockOf(const OperationView &view) {
  if (view.get().block == ListedOperation::noBlock)
    return nb::none();
  return nb::cast(BlockView{view.listing, view.get().block});
}

void walk(const ListedModule &module, nb::callable visit) {
  for (size_t i = 0; i < module.listing->operations.size(); ++i)
    visit(OperationView{module.listing, i});
}

void registerOperation(nb::module_ &ir) {
  nb::class_<OperationView>(ir, "operation")
      .def("get_name", [](const OperationView &view) { return view.get().name; })
      .def("get_num_operands", [](const OperationView &view) { return view.get().operands.size(); })
      .def("get_operand",
           [](const OperationView &view, size_t index) { return ListedValue{at(view.get().operands, index)}; })
      .def("get_num_results", [](const OperationView &view) { return view.get().results.size(); })
      .def("get_result",
           [](const OperationView &view, size_t index) { return ListedValue{at(view.get().results, index)}; })
      .def("get_num_regions", [](const OperationView &view) { return view.get().regions.size(); })
      .def("get_region",
           [](const OperationView &view, size_t index) { return ListedRegion{at(view.get().regions, index)}; })
      .def("get_block", &blockOf)
      .def("get_str_attr", &attribute<std::string>)
      .def("get_int_attr", &attribute<int64_t>)
      .def("get_bool_attr", &attribute<bool>)
      .def("get_flat_symbol_ref_attr", &attribute<std::string>);
}

} // namespace

void registerOperationListing(nb::module_ &module) {
  nb::module_ library = module.def_submodule("libtriton");
  nb::module_ ir = library.def_submodule("ir", "The operations of lowered kernels.");
  nb::class_<Context>(ir, "context").def(nb::init<>());
  ir.def("load_dialects", [](const Context &) {}, "Does nothing: the compiler loads its dialects itself.");
  nb::class_<ListedValue>(ir, "value").def("id", [](const ListedValue &value) { return value.number; });
  nb::class_<ListedRegion>(ir, "region").def("id", [](const ListedRegion &region) { return region.number; });
  nb::class_<BlockView>(ir, "block")
      .def("id", [](const BlockView &view) { return view.number; })
      .def("get_num_arguments", [](const BlockView &view) { return view.get().arguments.size(); })
      .def("get_argument",
           [](const BlockView &view, size_t index) { return ListedValue{at(view.get().arguments, index)}; })
      .def("get_parent", [](const BlockView &view) { return ListedRegion{view.get().region}; });
  registerOperation(ir);
  nb::class_<ListedModule>(ir, "module")
      .def(
          "verify", [](const ListedModule &) { return true; }, "Lowering has verified it.")
      .def("walk", &walk, nb::arg("visit"), "Calls `visit` with each operation, those in its regions first.")
      .def(
          "dump", [](const ListedModule &view) { llvm::errs() << view.listing->text; }, "Writes it to standard error.")
      .def("__str__", [](const ListedModule &view) { return view.listing->text; });
}

} // namespace triton::python
