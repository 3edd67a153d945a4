// The files of the explorer's page, which the package serves to a browser as a debugger.
#include "Bindings.h"

#include "explorer/Page.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

/// {path: (type, text)}
static nb::dict explorerPage() {
  nb::dict files;
  for (const triton::explorer::PageFile &file : triton::explorer::pageFiles())
    files[nb::str(file.path.str().c_str())] = nb::make_tuple(file.type.str(), file.text.str());
  return files;
}

void triton::python::registerExplorerPage(nb::module_ &module) { module.def("explorer_page", &explorerPage); }
