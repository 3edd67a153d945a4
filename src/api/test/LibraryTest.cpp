// What libtriton.so needs and shows, read from the file.
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using namespace llvm;
using Object64 = object::ELF64LEObjectFile;

namespace {

class LibraryTest : public testing::Test {
protected:
  void SetUp() override {
    auto opened = object::ObjectFile::createObjectFile(TRITON_LIBRARY);
    ASSERT_TRUE(bool(opened)) << toString(opened.takeError());
    binary = std::move(*opened);
    library = dyn_cast<Object64>(binary.getBinary());
    ASSERT_NE(library, nullptr);
  }

  /// The names of the libraries that the loader must find.
  std::vector<std::string> dependencies() {
    std::vector<std::string> names;
    auto entries = cantFail(library->getELFFile().dynamicEntries());
    uint64_t strings = 0;
    for (const auto &entry : entries)
      if (entry.d_tag == ELF::DT_STRTAB)
        strings = entry.d_un.d_ptr;
    const uint8_t *table = cantFail(library->getELFFile().toMappedAddr(strings));
    for (const auto &entry : entries)
      if (entry.d_tag == ELF::DT_NEEDED)
        names.emplace_back(reinterpret_cast<const char *>(table) + entry.d_un.d_val);
    return names;
  }

  object::OwningBinary<object::ObjectFile> binary;
  Object64 *library = nullptr;
};

} // namespace

TEST_F(LibraryTest, NeedsNoPythonAndNoLlvm) {
  std::vector<std::string> names = dependencies();
  ASSERT_FALSE(names.empty());
  for (StringRef name : names) {
    EXPECT_FALSE(name.contains_insensitive("python")) << name.str();
    EXPECT_FALSE(name.contains("LLVM") || name.contains("MLIR")) << name.str();
  }
}

TEST_F(LibraryTest, RefersToNoPythonSymbol) {
  for (const object::SymbolRef &symbol : library->getDynamicSymbolIterators())
    EXPECT_FALSE(cantFail(symbol.getName()).starts_with("Py")) << cantFail(symbol.getName()).str();
}

TEST_F(LibraryTest, ExportsOnlyThePublicApi) {
  unsigned exported = 0;
  for (const object::ELFSymbolRef symbol : library->getDynamicSymbolIterators()) {
    if (cantFail(symbol.getFlags()) & object::SymbolRef::SF_Undefined)
      continue;
    std::string name = cantFail(symbol.getName()).str();
    // The two names by which debuggers find compiled kernels.
    if (StringRef(name).starts_with("__jit_debug_"))
      continue;
    // Functions, tables and type information of namespace triton itself, not of the rooms inside it.
    EXPECT_TRUE(name.find("6triton") != std::string::npos) << name;
    for (const char *room :
         {"6triton8compiler", "6triton7runtime", "6triton8frontend", "6triton8backends", "6triton2tt"})
      EXPECT_EQ(name.find(room), std::string::npos) << name;
    ++exported;
  }
  EXPECT_GT(exported, 10u);
}
