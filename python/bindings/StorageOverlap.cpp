#include "StorageOverlap.h"
#include "ArrayMemory.h"

#include "llvm/ADT/STLExtras.h"

namespace triton::python {

namespace {

PyObject *overlapError = nullptr; ///< the class

/// The memory of an array, from its first byte to behind its last one. Unknown memory may be any.
struct Storage {
  bool isKnown = false;
  uintptr_t begin = 0, end = 0;

  bool mayOverlap(const Storage &other) const {
    return !isKnown || !other.isKnown || (begin < other.end && other.begin < end);
  }
};

Storage storageOf(const LaunchFrame &frame, unsigned slot) {
  base::ArrayExtent extent;
  auto noted = llvm::find_if(frame.arrays, [&](const base::ArrayExtent &array) { return array.argument == slot; });
  auto pointer = llvm::find_if(frame.pointers, [&](const LaunchFrame::Pointer &given) { return given.slot == slot; });
  if (noted != frame.arrays.end()) {
    extent = *noted;
  } else if (pointer == frame.pointers.end() || !findMemory(pointer->array, frame.device, extent)) {
    PyErr_Clear(); // the array is of a class that says nothing of its memory
    return {};
  }
  return {extent.begin != 0 || extent.bytes != 0, extent.begin, extent.begin + extent.bytes};
}

} // namespace

bool overlap(const base::CompiledKernel &kernel, const LaunchFrame &frame) {
  // Pairs with the same first argument follow one another.
  unsigned slot = 0;
  std::optional<Storage> first;
  for (auto [written, other] : kernel.results.disjointPairs) {
    if (!first || slot != written)
      first = storageOf(frame, slot = written);
    if (first->mayOverlap(storageOf(frame, other)))
      return true;
  }
  return false;
}

std::vector<int> numberStorages(const LaunchFrame &frame) {
  std::vector<int> numbers(frame.specialized.slots.size(), -1);
  std::vector<Storage> storages;
  std::vector<unsigned> slots;
  for (const LaunchFrame::Pointer &pointer : frame.pointers) {
    Storage storage = storageOf(frame, pointer.slot);
    int &number = numbers[pointer.slot] = int(pointer.slot);
    for (size_t i = 0; i < storages.size(); ++i) {
      if (!storage.mayOverlap(storages[i]))
        continue;
      // What overlapped with either now counts as one storage.
      int joined = numbers[slots[i]], before = number;
      for (int &each : numbers)
        if (each == before)
          each = joined;
    }
    storages.push_back(storage);
    slots.push_back(pointer.slot);
  }
  return numbers;
}

static void setStorages(std::vector<frontend::KernelArgument> &arguments, std::span<const int> numbers, size_t &slot) {
  for (frontend::KernelArgument &argument : arguments) {
    if (argument.hasElements()) {
      setStorages(argument.elements, numbers, slot);
    } else if (!argument.constant) {
      if (argument.type.isPointer())
        argument.storage = slot < numbers.size() ? numbers[slot] : numbers.empty() ? int(slot) : -1;
      ++slot;
    }
  }
}

void setStorages(std::vector<frontend::KernelArgument> &arguments, std::span<const int> numbers) {
  size_t slot = 0;
  setStorages(arguments, numbers, slot);
}

void raiseOverlap(const base::CompiledKernel &kernel, const LaunchFrame &frame) {
  Reference storages = Reference::steal(PyList_New(0));
  for (int number : numberStorages(frame)) {
    Reference item = Reference::steal(PyLong_FromLong(number));
    if (!storages || !item || PyList_Append(storages.get(), item.get()) != 0)
      return;
  }
  Reference error = Reference::steal(PyObject_CallFunction(
      overlapError, "s",
      ("`" + kernel.name +
       "` was compiled for arrays in storages that do not overlap; launch the kernel itself, which "
       "chooses another variant")
          .c_str()));
  if (error && PyObject_SetAttrString(error.get(), "storages", storages.get()) == 0)
    PyErr_SetObject(overlapError, error.get());
}

bool registerStorageOverlap(PyObject *module) {
  overlapError = PyErr_NewException("triton._C.StorageOverlap", PyExc_ValueError, nullptr);
  return overlapError && PyModule_AddObjectRef(module, "StorageOverlap", overlapError) == 0;
}

} // namespace triton::python
