// The H200's own answers for atomic sums, asynchronous copies (data/scalar.json) and operations across a warp
// (data/warp.json), bit for bit.
#include "Answers.h"
#include "Harness.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <numeric>

namespace triton::simulator {
namespace {

/// The array after every thread has added its element of `b` to its element of `a`.
std::vector<uint32_t> addAtomically(llvm::StringRef type, bool shared, std::vector<uint32_t> a,
                                    std::vector<uint32_t> b) {
  std::string target = shared ? "ptr addrspace(3) %s" : "ptr addrspace(1) %pa";
  auto program = decodeText(llvm::formatv(R"(
target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 1024
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @kernel(ptr addrspace(1) %a, ptr addrspace(1) %b) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %pb = getelementptr i32, ptr addrspace(1) %b, i32 %t
  %s = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  %first = load i32, ptr addrspace(1) %pa
  store i32 %first, ptr addrspace(3) %s
  %y = load {0}, ptr addrspace(1) %pb
  %old = atomicrmw fadd {1}, {0} %y monotonic
  %fromShared = load i32, ptr addrspace(3) %s
  %fromGlobal = load i32, ptr addrspace(1) %pa
  %sum = select i1 {2}, i32 %fromShared, i32 %fromGlobal
  store i32 %sum, ptr addrspace(1) %pa
  ret void
}
)",
                                          type, target, shared ? "true" : "false")
                                .str());
  EXPECT_TRUE(program);
  LaunchConfiguration configuration;
  configuration.threads = unsigned(a.size());
  configuration.dynamicSharedBytes = a.size() * 4;
  LaunchResult result =
      launch(*program, configuration, {addressOf(a), addressOf(b)}, {allocationOf(a, "a"), allocationOf(b, "b")});
  EXPECT_TRUE(result.findings.empty()) << result.findings.front().str();
  return a;
}

TEST(WarpHardware, AtomicSums) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  const llvm::json::Object &table = *answers.getObject("atomics");
  struct Form {
    llvm::StringLiteral a, b, result, type;
    bool shared;
  };
  const Form forms[] = {
      {"f32_global_a_subnormal", "f32_global_b", "atom.global.add.f32 result", "float", false},
      {"f32_global_a_subnormal", "f32_global_b", "red.shared.add.f32 result", "float", true},
      {"f16x2_a", "f16x2_b", "atom.add.noftz.f16x2", "<2 x half>", false},
      {"bf16x2_a", "bf16x2_b", "atom.add.noftz.bf16x2", "<2 x bfloat>", false},
  };
  for (const Form &form : forms)
    EXPECT_EQ(addAtomically(form.type, form.shared, column<uint32_t>(*table.getString(form.a), 8),
                            column<uint32_t>(*table.getString(form.b), 8)),
              column<uint32_t>(*table.getString(form.result), 8))
        << form.result.str();
}

/// Warp-wide operations by the lanes of a mask; the other lanes keep their old values.
TEST(WarpHardware, WarpOperations) {
  llvm::json::Object answers = loadAnswers("warp.json");
  auto inputs = column<uint32_t>(*answers.getString("warp_ops_in"), 8);
  struct Form {
    llvm::StringLiteral key, declaration, body;
  };
  constexpr llvm::StringLiteral redux = "declare i32 @llvm.nvvm.redux.sync.OP(i32, i32)";
  constexpr llvm::StringLiteral reduxBody = "%r = call i32 @llvm.nvvm.redux.sync.OP(i32 %x, i32 %mask)";
  const std::pair<llvm::StringLiteral, llvm::StringLiteral> reductions[] = {
      {"redux.add", "add"},     {"redux.min.u32", "umin"}, {"redux.max.u32", "umax"}, {"redux.min.s32", "min"},
      {"redux.max.s32", "max"}, {"redux.and", "and"},      {"redux.or", "or"},        {"redux.xor", "xor"}};
  const Form others[] = {
      {"elect lane", "declare {i32, i1} @llvm.nvvm.elect.sync(i32)",
       "%e = call {i32, i1} @llvm.nvvm.elect.sync(i32 %mask)\n  %r = extractvalue {i32, i1} %e, 0"},
      {"elect p", "declare {i32, i1} @llvm.nvvm.elect.sync(i32)",
       "%e = call {i32, i1} @llvm.nvvm.elect.sync(i32 %mask)\n  %p = extractvalue {i32, i1} %e, 1\n  %r = zext i1 %p "
       "to "
       "i32"},
      {"match.any(x&3)", "declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)",
       "%r = call i32 @llvm.nvvm.match.any.sync.i32(i32 %mask, i32 %low)"},
      {"match.all(x&3)", "declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)",
       "%e = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 %mask, i32 %low)\n  %r = extractvalue {i32, i1} %e, 0"},
      {"match.all p", "declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)",
       "%e = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 %mask, i32 %low)\n  %p = extractvalue {i32, i1} %e, 1\n "
       " "
       "%r = zext i1 %p to i32"},
      {"ballot(x&3!=0)", "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)",
       "%c = icmp ne i32 %low, 0\n  %r = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 %c)"},
  };
  auto run = [&](llvm::StringRef key, llvm::StringRef declaration, llvm::StringRef body, uint32_t mask,
                 const llvm::json::Object &table) {
    auto program = decodeText(llvm::formatv(R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
{0}
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %mask) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %pi = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = lshr i32 %mask, %t
  %member = trunc i32 %bit to i1
  br i1 %member, label %body, label %end
body:
  %x = load i32, ptr addrspace(1) %pi
  %low = and i32 %x, 3
  {1}
  store i32 %r, ptr addrspace(1) %po
  br label %end
end:
  ret void
}
)",
                                            declaration, body)
                                  .str());
    ASSERT_TRUE(program) << key.str();
    std::vector<uint32_t> in = inputs, out(32, 0xa5a5a5a5);
    LaunchResult result =
        launch(*program, {}, {addressOf(in), addressOf(out), mask}, {allocationOf(in, "in"), allocationOf(out, "out")});
    EXPECT_TRUE(result.findings.empty());
    EXPECT_EQ(out, column<uint32_t>(*table.getString(key), 8)) << key.str() << " mask " << llvm::utohexstr(mask);
  };
  unsigned masks = 0;
  for (auto &[name, value] : answers) {
    uint32_t mask;
    if (!llvm::StringRef(name).starts_with("mask_") || llvm::StringRef(name).drop_front(5).getAsInteger(16, mask))
      continue;
    ++masks;
    for (auto [key, operation] : reductions) {
      auto named = [&, operation = operation](llvm::StringRef text) {
        auto [before, after] = text.split("OP");
        return (before + operation + after).str();
      };
      run(key, named(redux), named(reduxBody), mask, *value.getAsObject());
    }
    for (const Form &form : others)
      run(form.key, form.declaration, form.body, mask, *value.getAsObject());
  }
  EXPECT_EQ(masks, 6u);
}

/// Copies of fewer bytes than they write fill the rest with zeros; without source bytes the source is not read.
TEST(WarpHardware, AsynchronousCopiesFillWithZeros) {
  llvm::json::Object answers = loadAnswers("scalar.json");
  auto image = column<uint8_t>(*answers.getObject("cp_async_zfill")->getString("image"), 2);
  auto program = decodeText(R"(
target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 16
declare void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.16.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.wait.all()
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %untouched = getelementptr i8, ptr addrspace(3) @shared, i32 44
  store i32 u0xeeeeeeee, ptr addrspace(3) %untouched
  %s1 = getelementptr i8, ptr addrspace(3) @shared, i32 16
  %s2 = getelementptr i8, ptr addrspace(3) @shared, i32 32
  %s3 = getelementptr i8, ptr addrspace(3) @shared, i32 40
  %s4 = getelementptr i8, ptr addrspace(3) @shared, i32 48
  %s5 = getelementptr i8, ptr addrspace(3) @shared, i32 64
  %s6 = getelementptr i8, ptr addrspace(3) @shared, i32 80
  call void @llvm.nvvm.cp.async.ca.shared.global.16.s(ptr addrspace(3) @shared, ptr addrspace(1) %in, i32 0)
  call void @llvm.nvvm.cp.async.ca.shared.global.16.s(ptr addrspace(3) %s1, ptr addrspace(1) %in, i32 5)
  call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) %s2, ptr addrspace(1) %in, i32 3)
  call void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3) %s3, ptr addrspace(1) %in, i32 1)
  call void @llvm.nvvm.cp.async.ca.shared.global.16.s(ptr addrspace(3) %s4, ptr addrspace(1) null, i32 0)
  call void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3) %s5, ptr addrspace(1) %in)
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %s6, ptr addrspace(1) %in)
  call void @llvm.nvvm.cp.async.wait.all()
  br label %copy
copy:
  %i = phi i32 [ 0, %entry ], [ %next, %copy ]
  %from = getelementptr i8, ptr addrspace(3) @shared, i32 %i
  %to = getelementptr i8, ptr addrspace(1) %out, i32 %i
  %value = load i8, ptr addrspace(3) %from
  store i8 %value, ptr addrspace(1) %to
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 96
  br i1 %more, label %copy, label %end
end:
  ret void
}
)");
  ASSERT_TRUE(program);
  alignas(16) static uint8_t in[16];
  std::iota(std::begin(in), std::end(in), 1);
  std::vector<uint8_t> out(96);
  LaunchConfiguration configuration;
  configuration.threads = 1;
  configuration.dynamicSharedBytes = 96;
  LaunchResult result = launch(*program, configuration, {reinterpret_cast<uint64_t>(in), addressOf(out)},
                               {{"in", reinterpret_cast<uintptr_t>(in), sizeof(in), true}, allocationOf(out, "out")});
  EXPECT_TRUE(result.findings.empty()) << result.findings.front().str();
  image.erase(image.begin() + 64, image.begin() + 80); // `ignore-src`, which the simulator does not know
  EXPECT_EQ(out, image);
}

} // namespace
} // namespace triton::simulator
