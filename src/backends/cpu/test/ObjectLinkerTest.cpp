#include "backends/cpu/ObjectLinker.h"
#include "TestKernel.h"

#include "backends/cpu/CodeImage.h"

#include "backends/cpu/GdbRegistration.h"
#include "backends/cpu/runtime/RuntimeSymbols.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace triton::cpu::test {
namespace {

/// Compiles `text`, a module of the llvm dialect and of ttcir's.
std::string compileText(const char *text) {
  auto context = makeContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  if (!module) {
    ADD_FAILURE() << "the test's module does not parse";
    return "";
  }
  return compileToObject(*module, llvm::cantFail(describeTarget("")));
}

const char vectorAdd[] = R"(
llvm.func @add(%arguments: !llvm.ptr, %grid: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) {
  %x = llvm.load %arguments : !llvm.ptr -> !llvm.ptr
  %slot1 = llvm.getelementptr %arguments[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %y = llvm.load %slot1 : !llvm.ptr -> !llvm.ptr
  %slot2 = llvm.getelementptr %arguments[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %out = llvm.load %slot2 : !llvm.ptr -> !llvm.ptr
  %step = arith.constant 16 : i64
  %one = arith.constant 1 : i64
  scf.for %program = %begin to %end step %one : i64 {
    %offset = arith.muli %program, %step : i64
    %px = llvm.getelementptr %x[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %py = llvm.getelementptr %y[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %po = llvm.getelementptr %out[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %vx = llvm.load %px {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %vy = llvm.load %py {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %sum = arith.addf %vx, %vy : vector<16xf32>
    llvm.store %sum, %po {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  }
  llvm.return
}
)";

using LinkedOrError = llvm::Expected<std::shared_ptr<LinkedObject>>;

/// As a bundle has the object.
LinkedOrError loadImageOf(llvm::StringRef object) {
  auto image = makeCodeImage(object);
  return image ? loadCodeImage(*image, object) : LinkedOrError(image.takeError());
}

/// The two ways in which an object becomes callable.
class ObjectLinker : public testing::TestWithParam<LinkedOrError (*)(llvm::StringRef)> {
protected:
  static LinkedOrError linked(llvm::StringRef object) { return GetParam()(object); }
};
INSTANTIATE_TEST_SUITE_P(Ways, ObjectLinker, testing::Values(&linkObject, &loadImageOf),
                         [](const auto &way) { return way.param == &linkObject ? "link" : "image"; });

void runPrograms(void *entry, const void *arguments, const int32_t *grid, int64_t begin, int64_t end) {
  call(entry, arguments, grid, begin, end, static_cast<void *>(nullptr));
}

TEST_P(ObjectLinker, RunsAKernelWithTheEntrysSignature) {
  std::string object = compileText(vectorAdd);
  auto code = linked(object);
  ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
  void *entry = (*code)->find("add");
  ASSERT_NE(entry, nullptr);
  std::vector<float> x(64), y(64), out(64, -1);
  for (int i = 0; i < 64; ++i)
    x[i] = i, y[i] = 100 * i;
  const void *arguments[] = {x.data(), y.data(), out.data()};
  int32_t grid[] = {4, 1, 1};
  runPrograms(entry, arguments, grid, 1, 3);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i >= 16 && i < 48 ? 101 * i : -1);
  EXPECT_EQ((*code)->find("subtract"), nullptr);
}

TEST_P(ObjectLinker, ResolvesFunctionsOfTheRuntime) {
  static int calls;
  calls = 0;
  registerRuntimeSymbol("triton_test_callback", reinterpret_cast<void *>(+[](int32_t value) { calls += value; }));
  std::string object = compileText(R"(
    llvm.func @triton_test_callback(i32)
    llvm.func @kernel() {
      %value = arith.constant 5 : i32
      llvm.call @triton_test_callback(%value) : (i32) -> ()
      llvm.return
    })");
  auto code = linked(object);
  ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
  call((*code)->find("kernel"));
  EXPECT_EQ(calls, 5);
}

TEST_P(ObjectLinker, NamesWhatIsUndefined) {
  std::string object = compileText(R"(
    llvm.func @no_such_function()
    llvm.func @kernel() {
      llvm.call @no_such_function() : () -> ()
      llvm.return
    })");
  auto code = linked(object);
  ASSERT_FALSE(bool(code));
  EXPECT_NE(llvm::toString(code.takeError()).find("no_such_function"), std::string::npos);
}

TEST_P(ObjectLinker, RefusesWhatIsNoObject) {
  std::string object = compileText(vectorAdd);
  for (const std::string &bytes :
       {std::string(), std::string("not an object"), object.substr(0, 40), object.substr(0, object.size() / 2)}) {
    auto code = linked(bytes);
    EXPECT_FALSE(bool(code)) << "with " << bytes.size() << " bytes";
    llvm::consumeError(code.takeError());
  }
}

TEST_P(ObjectLinker, DebuggersFindTheKernelsLines) {
  std::string object = compileText(R"(
    llvm.func @kernel(%p: !llvm.ptr) {
      %value = arith.constant 5 : i32 loc(#at)
      llvm.store %value, %p : i32, !llvm.ptr loc(#at)
      llvm.return loc(#end)
    } loc(#start)
    #start = loc("/kernels/five.py":11:1)
    #at = loc("/kernels/five.py":12:3)
    #end = loc("/kernels/five.py":13:1)
    )");
  auto code = linked(object);
  ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
  auto address = reinterpret_cast<uint64_t>((*code)->find("kernel"));
  // A debugger that is notified of new code reads the entry that was registered last.
  llvm::StringRef image(__jit_debug_descriptor.first_entry->symfile_addr,
                        __jit_debug_descriptor.first_entry->symfile_size);
  auto file = llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(image, "image")));
  bool found = false;
  for (const llvm::object::SectionRef &section : file->sections())
    found |= section.isText() && section.getAddress() <= address && address < section.getAddress() + section.getSize();
  EXPECT_TRUE(found) << "no section of the registered image contains the kernel";
  auto dwarf = llvm::DWARFContext::create(*file);
  bool hasLine = false;
  for (const auto &unit : dwarf->compile_units()) {
    const llvm::DWARFDebugLine::LineTable *table = dwarf->getLineTableForUnit(unit.get());
    ASSERT_NE(table, nullptr);
    for (const auto &row : table->Rows)
      hasLine |= row.Line == 12;
    std::string name;
    ASSERT_TRUE(table->getFileNameByIndex(table->Rows.front().File, unit->getCompilationDir(),
                                          llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath, name));
    EXPECT_EQ(name, "/kernels/five.py");
  }
  EXPECT_TRUE(hasLine);
  auto *first = __jit_debug_descriptor.first_entry;
  code->reset();
  EXPECT_NE(__jit_debug_descriptor.first_entry, first) << "freed code must not stay registered";
}

TEST_P(ObjectLinker, ThreadsCompileAndLinkAtOnce) {
  std::atomic<int> correct = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&correct] {
      for (int round = 0; round < 5; ++round) {
        auto code = llvm::cantFail(linked(compileText(vectorAdd)));
        std::vector<float> x(16, 1), y(16, 2), out(16);
        const void *arguments[] = {x.data(), y.data(), out.data()};
        int32_t grid[] = {1, 1, 1};
        runPrograms(code->find("add"), arguments, grid, 0, 1);
        correct += out == std::vector<float>(16, 3);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(correct, 20);
}

std::string refusal(llvm::Error error) { return llvm::toString(std::move(error)); }

TEST(CodeImage, IsTheSameEachTime) {
  std::string object = compileText(vectorAdd);
  EXPECT_EQ(llvm::cantFail(makeCodeImage(object)), llvm::cantFail(makeCodeImage(object)));
}

TEST(CodeImage, IsTheSameEachTimeWithManyFunctionsOutside) {
  std::string declarations, calls;
  for (const char *name : {"sinf", "cosf", "logf", "expf", "powf", "tanf", "erff", "cbrtf"}) {
    declarations += "llvm.func @" + std::string(name) + "()\n";
    calls += "llvm.call @" + std::string(name) + "() : () -> ()\n";
  }
  std::string functions;
  for (const char *name : {"kernel", "other", "third"})
    functions += "llvm.func @" + std::string(name) + "() {\n" + calls + "llvm.return\n}\n";
  std::string object = compileText((declarations + functions).c_str()), first = llvm::cantFail(makeCodeImage(object));
  std::vector<std::unique_ptr<char[]>> held; // so that the linker's memory lies elsewhere in each round
  for (int round = 0; round < 60; ++round) {
    for (int size = 16; size <= 8192; size *= 2)
      held.push_back(std::make_unique<char[]>(size + 16 * (round % 7)));
    auto image = makeCodeImage(object);
    ASSERT_TRUE(bool(image)) << refusal(image.takeError()) << " in round " << round;
    ASSERT_EQ(*image, first) << "in round " << round;
  }
}

TEST(CodeImage, RefusesWhatIsDamaged) {
  std::string object = compileText(vectorAdd), image = llvm::cantFail(makeCodeImage(object));
  for (std::size_t size = 0; size < image.size(); size += 7)
    EXPECT_EQ(refusal(loadCodeImage(image.substr(0, size), object).takeError()), "the image of the code is damaged");
  EXPECT_EQ(refusal(loadCodeImage(image + "x", object).takeError()), "the image of the code is damaged");
  EXPECT_EQ(refusal(loadCodeImage(image, object.substr(0, 64)).takeError()), "the image of the code is damaged");
  for (std::size_t place = 0; place + 8 <= image.size(); ++place) { // Places that lie outside are found.
    std::string changed = image;
    changed.replace(place, 8, std::string(8, '\x7f'));
    llvm::consumeError(loadCodeImage(changed, object).takeError());
  }
}

TEST(CodeImage, RefusesWhatNeedNotExist) {
  std::string object = compileText(R"(
    llvm.func extern_weak @perhaps()
    llvm.func @kernel() {
      llvm.call @perhaps() : () -> ()
      llvm.return
    })");
  EXPECT_EQ(refusal(makeCodeImage(object).takeError()), "the code refers to `perhaps`, which need not exist");
}

TEST(CodeImage, RefusesCodeWithVariables) {
  std::string object = compileText(R"(
    llvm.mlir.global external @counter(0 : i32) : i32
    llvm.func @kernel() -> i32 {
      %address = llvm.mlir.addressof @counter : !llvm.ptr
      %value = llvm.load %address : !llvm.ptr -> i32
      llvm.return %value : i32
    })");
  EXPECT_EQ(refusal(makeCodeImage(object).takeError()), "the code has variables");
}

} // namespace
} // namespace triton::cpu::test
