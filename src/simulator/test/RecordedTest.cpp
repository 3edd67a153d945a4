// Answers of a GPU, recorded by record/record.py (data/recorded.json): forms of arithmetic, conversion, atomic and
// warp-wide instructions, bit for bit.
#include "Answers.h"
#include "Harness.h"

#include "simulator/nvptx/Handlers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {
namespace {

/// One form with its inputs and answers.
struct Recorded {
  explicit Recorded(const llvm::json::Object &form) : form(form) {
    for (const llvm::json::Value &type : *form.getArray("operands"))
      operands.push_back(type.getAsString()->str());
    result = form.getString("result")->str();
    if (const llvm::json::Array *list = form.getArray("masks"))
      for (const llvm::json::Value &mask : *list)
        masks.push_back(uint32_t(words(*mask.getAsString(), 8).front()));
    memory = form.getString("memory").value_or("");
  }
  std::string text(llvm::StringRef key) const { return form.getString(key).value_or("").str(); }

  const llvm::json::Object &form;
  std::vector<std::string> operands;
  std::string result;
  std::vector<uint32_t> masks; ///< the lanes that run, by program; empty: all
  llvm::StringRef memory;      ///< where the cells of an atomic operation lie: "global", "shared" or ""
};

unsigned bytesOf(llvm::StringRef type) {
  return llvm::StringSwitch<unsigned>(type).Cases({"i16", "half", "bfloat"}, 2).Cases({"i64", "double"}, 8).Default(4);
}

/// The bytes in memory of fixed-width words.
std::vector<std::byte> image(llvm::StringRef text, unsigned bytes) {
  std::vector<std::byte> result;
  for (uint64_t word : words(text, 2 * bytes))
    for (unsigned i = 0; i < bytes; ++i)
      result.push_back(std::byte(word >> (8 * i)));
  return result;
}

std::string addressText(llvm::StringRef name, llvm::StringRef type, llvm::StringRef array, llvm::StringRef index,
                        unsigned space = 1) {
  return llvm::formatv("  %{0} = getelementptr {1}, ptr addrspace({4}) {2}, i32 {3}\n", name, type, array, index, space)
      .str();
}

/// The recorded instruction itself as inline assembly, if it uses only registers: `$0` for r, `$1` for x, ...
std::string assemblyBody(const Recorded &recorded) {
  std::string code, constraints, arguments, body;
  llvm::StringRef ptx = *recorded.form.getString("ptx");
  for (std::size_t i = 0; i < ptx.size(); ++i) {
    std::size_t operand = llvm::StringRef("rxyz").find(ptx[i]);
    bool isAlone = i != 0 && ptx[i - 1] == ' ' && (ptx[i + 1] == ',' || ptx[i + 1] == ';');
    code += operand != llvm::StringRef::npos && isAlone ? "$" + std::to_string(operand) : std::string(1, ptx[i]);
  }
  auto integer = [](llvm::StringRef type) { return "i" + std::to_string(8 * bytesOf(type)); };
  auto constraint = [](llvm::StringRef type) { return bytesOf(type) == 2 ? "h" : bytesOf(type) == 4 ? "r" : "l"; };
  for (auto [i, type] : llvm::enumerate(recorded.operands)) {
    char name = "xyz"[i];
    body += llvm::formatv("  %{0}i = bitcast {1} %{0} to {2}\n", name, type, integer(type)).str();
    arguments += llvm::formatv("{0}{1} %{2}i", i ? ", " : "", integer(type), name).str();
    constraints += std::string(",") + constraint(type);
  }
  return body + llvm::formatv("  %ri = call {0} asm \"{1}\", \"={2}{3}\"({4})\n  %r = bitcast {0} %ri to {5}",
                              integer(recorded.result), code, constraint(recorded.result), constraints, arguments,
                              recorded.result)
                    .str();
}

/// The kernel of record.py: it loads x, y and z, and stores the result of `body` and the cell after it.
std::string kernelText(const Recorded &recorded, llvm::StringRef body) {
  std::string text = R"(
target triple = "nvptx64-nvidia-cuda"
@cells = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
)" + recorded.text("declare") +
                     R"(
define ptx_kernel void @kernel(ptr addrspace(1) %px, ptr addrspace(1) %py, ptr addrspace(1) %pz,
                               ptr addrspace(1) %pr, ptr addrspace(1) %pm, ptr addrspace(1) %pmask) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = shl i32 %b, 5
  %i = add i32 %base, %t
)";
  for (auto [i, type] : llvm::enumerate(recorded.operands)) {
    std::string name(1, "xyz"[i]);
    text += addressText("a" + name, type, "%p" + name, "%i");
    text += llvm::formatv("  %{0} = load {1}, ptr addrspace(1) %a{0}\n", name, type).str();
  }
  bool shared = recorded.memory == "shared";
  if (!recorded.memory.empty()) {
    text += addressText("p", recorded.operands[0], shared ? "@cells" : "%pm", shared ? "%t" : "%i", shared ? 3 : 1);
    text += llvm::formatv("  store {0} %x, ptr addrspace({1}) %p\n", recorded.operands[0], shared ? 3 : 1).str();
  }
  if (!recorded.masks.empty())
    text += addressText("am", "i32", "%pmask", "%b") + R"(
  %mask = load i32, ptr addrspace(1) %am
  %bit = lshr i32 %mask, %t
  %member = trunc i32 %bit to i1
  br i1 %member, label %body, label %end
body:
)";
  text += "  " + body.str() + "\n";
  text += addressText("ar", recorded.result, "%pr", "%i");
  text += llvm::formatv("  store {0} %r, ptr addrspace(1) %ar\n", recorded.result).str();
  if (shared) {
    text += llvm::formatv("  %after = load {0}, ptr addrspace(3) %p\n", recorded.operands[0]).str();
    text += addressText("aa", recorded.operands[0], "%pm", "%i");
    text += llvm::formatv("  store {0} %after, ptr addrspace(1) %aa\n", recorded.operands[0]).str();
  }
  return text + (recorded.masks.empty() ? "  ret void\n}\n" : "  br label %end\nend:\n  ret void\n}\n");
}

void expectSameWords(llvm::StringRef what, const Recorded &recorded, const std::vector<std::byte> &actual,
                     const std::vector<std::byte> &expected, unsigned bytes) {
  ASSERT_EQ(actual.size(), expected.size());
  unsigned shown = 0;
  for (std::size_t i = 0; i < actual.size() && shown < 3; i += bytes) {
    if (std::equal(actual.begin() + i, actual.begin() + i + bytes, expected.begin() + i))
      continue;
    ++shown;
    uint64_t got = 0, wanted = 0;
    std::memcpy(&got, &actual[i], bytes);
    std::memcpy(&wanted, &expected[i], bytes);
    std::string inputs;
    for (auto [operand, type] : llvm::enumerate(recorded.operands))
      inputs += (operand ? ", " : "") + (*recorded.form.getArray("inputs"))[operand]
                                            .getAsString()
                                            ->substr(i / bytes * 2 * bytesOf(type), 2 * bytesOf(type))
                                            .str();
    ADD_FAILURE() << recorded.text("name") << ": " << what.str() << " of " << inputs << " is "
                  << llvm::utohexstr(got, true) << ", not " << llvm::utohexstr(wanted, true);
  }
}

void check(const Recorded &recorded, llvm::StringRef body) {
  std::unique_ptr<Program> program = decodeText(kernelText(recorded, body));
  ASSERT_TRUE(program) << recorded.text("name");
  std::vector<std::vector<std::byte>> arrays;
  for (auto [i, type] : llvm::enumerate(recorded.operands))
    arrays.push_back(image(*(*recorded.form.getArray("inputs"))[i].getAsString(), bytesOf(type)));
  std::size_t count = arrays.front().size() / bytesOf(recorded.operands.front());
  arrays.resize(3);
  std::vector<std::byte> expected = image(recorded.text("answer"), bytesOf(recorded.result));
  arrays.emplace_back(expected.size(), std::byte(0xa5));
  arrays.emplace_back(count * bytesOf(recorded.operands[0]));
  std::vector<uint32_t> masks = recorded.masks;
  LaunchConfiguration configuration;
  configuration.grid = {uint32_t(count / nvptx::warpSize), 1, 1};
  configuration.dynamicSharedBytes = nvptx::warpSize * 8;
  std::vector<uint64_t> arguments;
  std::vector<Allocation> allocations;
  for (std::vector<std::byte> &array : arrays) {
    arguments.push_back(addressOf(array));
    if (!array.empty())
      allocations.push_back(allocationOf(array, "array"));
  }
  arguments.push_back(addressOf(masks));
  if (!masks.empty())
    allocations.push_back(allocationOf(masks, "masks"));
  LaunchResult result = launch(*program, configuration, arguments, std::move(allocations));
  EXPECT_TRUE(result.findings.empty()) << recorded.text("name") << ": " << result.findings.front().str();
  expectSameWords("the result", recorded, arrays[3], expected, bytesOf(recorded.result));
  if (!recorded.memory.empty())
    expectSameWords("memory after it", recorded, arrays[4],
                    image(recorded.text("after"), bytesOf(recorded.operands[0])), bytesOf(recorded.operands[0]));
}

TEST(Recorded, EveryForm) {
  llvm::json::Object answers = loadAnswers("recorded.json");
  const llvm::json::Array &forms = *answers.getArray("forms");
  EXPECT_GT(forms.size(), 150u);
  for (const llvm::json::Value &form : forms) {
    Recorded recorded(*form.getAsObject());
    check(recorded, recorded.text("llvm"));
  }
}

TEST(Recorded, EveryFormOnRegistersAsInlineAssembly) {
  llvm::json::Object answers = loadAnswers("recorded.json");
  unsigned checked = 0;
  for (const llvm::json::Value &form : *answers.getArray("forms")) {
    Recorded recorded(*form.getAsObject());
    if (!recorded.memory.empty() || !recorded.masks.empty())
      continue;
    ++checked;
    check(recorded, assemblyBody(recorded));
  }
  EXPECT_GT(checked, 100u);
}

} // namespace
} // namespace triton::simulator
