// stmatrix with the answers of an H200 (data/ldmatrix.json), and inline assembly on barriers and on the shared memory
// of clusters.
#include "Answers.h"
#include "Harness.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace triton::simulator {
namespace {

constexpr llvm::StringLiteral prologue = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32)
declare void @llvm.nvvm.griddepcontrol.wait()
declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3), i32)
declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3), i32, i32)
declare void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3), i32, i32, i32, i32)
@shared = external addrspace(3) global [0 x i8], align 1024
define ptx_kernel void @kernel(ptr addrspace(1) %in, ptr addrspace(1) %offsets, ptr addrspace(1) %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
)";

struct AssemblyRun : CheckedRun {
  std::vector<uint32_t> in = std::vector<uint32_t>(128), offsets = std::vector<uint32_t>(128), out;
  unsigned programs = 1;

  void launch(const std::string &body, unsigned threads) {
    auto program = decodeText((prologue + body + "\n  ret void\n}\n").str());
    if (!program)
      return;
    out.resize(std::max<std::size_t>(out.size(), threads * programs));
    LaunchConfiguration configuration;
    configuration.threads = threads;
    configuration.grid = configuration.cluster = {programs, 1, 1};
    configuration.dynamicSharedBytes = 4096;
    result = simulator::launch(*program, configuration, {addressOf(in), addressOf(offsets), addressOf(out)},
                               {allocationOf(in, "in"), allocationOf(offsets, "offsets"), allocationOf(out, "out")});
  }
};

TEST(SharedAssembly, MatrixStores) {
  llvm::json::Object answers = loadAnswers("ldmatrix.json");
  for (unsigned count : {1u, 2u, 4u})
    for (bool isTransposed : {false, true})
      for (bool isAssembly : {false, true}) {
        std::string form = llvm::formatv("x{0}{1}", count, isTransposed ? ".trans" : "").str();
        if (!isAssembly && form != "x1" && form != "x2.trans" && form != "x4")
          continue;
        AssemblyRun run;
        for (auto [i, text] : llvm::enumerate(*answers.getArray("stmatrix_in")))
          for (auto [lane, word] : llvm::enumerate(words(*text.getAsString(), 8)))
            run.in[i * 32 + lane] = uint32_t(word);
        for (auto [lane, offset] : llvm::enumerate(*answers.getArray("lane_byte_offset")))
          run.offsets[lane] = uint32_t(*offset.getAsInteger());
        run.out.resize(1024);
        std::string text = "  %pf = getelementptr i32, ptr addrspace(1) %offsets, i32 %t\n  %f = load i32, ptr "
                           "addrspace(1) %pf\n  %row = getelementptr i8, ptr addrspace(3) @shared, i32 %f\n",
                    arguments, names, constraints;
        for (unsigned i = 0; i < count; ++i) {
          text += llvm::formatv("  %i{0} = add i32 %t, {1}\n  %p{0} = getelementptr i32, ptr addrspace(1) %in, i32 "
                                "%i{0}\n  %r{0} = load i32, ptr addrspace(1) %p{0}\n",
                                i, 32 * i)
                      .str();
          arguments += llvm::formatv(", i32 %r{0}", i).str();
          names += llvm::formatv("{0}${1}", i ? ", " : "", i + 1).str();
          constraints += ",r";
        }
        if (isAssembly)
          text +=
              llvm::formatv("  call void asm sideeffect \"stmatrix.sync.aligned.m8n8.{0}.shared.b16 [$0], {{{1}};\", "
                            "\"r{2}\"(i32 %f{3})\n",
                            form, names, constraints, arguments)
                  .str();
        else
          text +=
              llvm::formatv("  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.{0}.b16.p3(ptr addrspace(3) %row{1})\n",
                            form, arguments)
                  .str();
        for (unsigned i = 0; i < 32; ++i)
          text += llvm::formatv("  %d{0} = add i32 %t, {1}\n  %s{0} = getelementptr i32, ptr addrspace(3) @shared, i32 "
                                "%d{0}\n  %v{0} = load i32, ptr addrspace(3) %s{0}\n  %o{0} = getelementptr i32, ptr "
                                "addrspace(1) %out, i32 %d{0}\n  store i32 %v{0}, ptr addrspace(1) %o{0}\n",
                                i, 32 * i)
                      .str();
        run.launch(text, 32);
        std::string key = "stmatrix_" + form;
        std::replace(key.begin(), key.end(), '.', '_');
        llvm::SmallVector<llvm::StringRef> cells;
        std::string expected = answers.getString(key)->str();
        llvm::StringRef(expected).split(cells, ' ');
        EXPECT_EQ(cells.size(), count * 64);
        for (llvm::StringRef cell : cells) {
          unsigned index = 0, value = 0;
          cell.split(':').first.getAsInteger(10, index);
          cell.split(':').second.getAsInteger(10, value);
          ASSERT_EQ(run.out[index / 2] >> 16 * (index % 2) & 0xFFFF, value) << key << " " << cell.str();
        }
      }
}

TEST(SharedAssembly, BarriersAndElection) {
  AssemblyRun run;
  run.launch(R"(
  call void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32 232)
  call void @llvm.nvvm.griddepcontrol.wait()
  call void asm sideeffect "setmaxnreg.dec.sync.aligned.u32 40;", ""()
  %elected = call i32 asm sideeffect "{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 $0, 1, 0, p; }", "=r"()
  %isOne = icmp ne i32 %elected, 0
  %mine = getelementptr i32, ptr addrspace(3) @shared, i32 %t
  br i1 %isOne, label %write, label %meet
write:
  store i32 %t, ptr addrspace(3) %mine
  br label %meet
meet:
  call void asm sideeffect "bar.sync 1, 64;", ""()
  %other = xor i32 %t, 32
  %first = and i32 %other, 32
  %theirs = getelementptr i32, ptr addrspace(3) @shared, i32 %first
  %v = load i32, ptr addrspace(3) %theirs
  store i32 %v, ptr addrspace(1) %po
)",
             64);
  run.expectNoFindings();
  EXPECT_EQ(run.out[3], 32u);
  EXPECT_EQ(run.out[40], 0u);
}

TEST(SharedAssembly, GuardedAccessesAndStoredNumbers) {
  AssemblyRun run;
  run.launch(R"(
  %address = shl i32 %t, 2
  call void asm sideeffect "st.shared.u32 [$0], 7;", "r,~{memory}"(i32 %address)
  %got = call i32 asm sideeffect "{ .reg .pred p; setp.lt.u32 p, $1, 40; mov.u32 $0, 5; @p ld.shared.u32 $0, [$1]; @!p st.shared.b32 [$1], $1; }", "=&r,r,~{memory}"(i32 %address)
  %stored = call i32 asm sideeffect "ld.shared.u32 $0, [$1];", "=r,r,~{memory}"(i32 %address)
  %thousands = mul i32 %got, 1000
  %sum = add i32 %thousands, %stored
  store i32 %sum, ptr addrspace(1) %po
  %pf = getelementptr i32, ptr addrspace(1) %offsets, i32 %t
  call void asm sideeffect "{ .reg .pred p; setp.lt.u32 p, $1, 40; @p st.global.v2.u16 [$0], {8, 0x10}; @!p st.global.f32 [$0], -1.5; }", "l,r,~{memory}"(ptr addrspace(1) %pf, i32 %address)
)",
             32);
  run.expectNoFindings();
  for (unsigned thread = 0; thread < 32; ++thread) {
    EXPECT_EQ(run.out[thread], thread < 10 ? 7007 : 5000 + 4 * thread);
    EXPECT_EQ(run.offsets[thread], thread < 10 ? 0x100008u : 0xbfc00000u);
  }
}

TEST(SharedAssembly, SharedMemoryOfClusters) {
  AssemblyRun run;
  run.programs = 2;
  run.launch(R"(
  %rank = call i32 asm "mov.u32 $0, %cluster_ctarank;", "=r"()
  %address = shl i32 %t, 2
  %value = mul i32 %t, 3
  %other = xor i32 %rank, 1
  %theirs = call i32 asm "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r"(i32 %address, i32 %other)
  %sum = add i32 %value, %rank
  call void asm sideeffect "st.shared::cluster.u32 [$0], $1;", "r,r,~{memory}"(i32 %theirs, i32 %sum)
  call void asm sideeffect "barrier.cluster.arrive.release.aligned;", ""()
  call void asm sideeffect "barrier.cluster.wait.acquire.aligned;", ""()
  %got = call i32 asm sideeffect "ld.shared.u32 $0, [$1];", "=r,r,~{memory}"(i32 %address)
  %base = mul i32 %rank, 32
  %index = add i32 %base, %t
  %to = getelementptr i32, ptr addrspace(1) %out, i32 %index
  store i32 %got, ptr addrspace(1) %to
)",
             32);
  run.expectNoFindings();
  EXPECT_EQ(run.out[5], 16u);  // written by program 1
  EXPECT_EQ(run.out[37], 15u); // and by program 0
}

} // namespace
} // namespace triton::simulator
