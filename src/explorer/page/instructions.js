// What instructions of GPUs do, in a sentence each, for who points at a line of assembly.

/** How an instruction's name begins, and what it does. Longer beginnings come first. */
const ptxWords = [
  ["ld.param", "reads an argument of the kernel"], ["ld.global", "loads from global memory"], ["ld.shared", "loads from shared memory"],
  ["ld.local", "loads from memory of the thread's own, such as what was spilled"], ["st.global", "stores to global memory"], ["st.shared", "stores to shared memory"],
  ["st.local", "stores to memory of the thread's own: registers do not suffice"], ["ldmatrix", "a warp loads 8x8 tiles from shared memory, each thread the parts that mma wants of it"],
  ["stmatrix", "a warp stores 8x8 tiles of its registers to shared memory"], ["cp.async.bulk.tensor", "the copy engine (TMA) moves a block of a tensor between global and shared memory"],
  ["cp.async.bulk.commit_group", "closes a group of copies by the engine"], ["cp.async.bulk.wait_group", "waits until at most that many groups of copies by the engine are under way"],
  ["cp.async.bulk", "the copy engine moves bytes between global and shared memory"], ["cp.async.commit_group", "closes a group of asynchronous copies"],
  ["cp.async.wait_group", "waits until at most that many groups of copies are under way"], ["cp.async.wait_all", "waits for all asynchronous copies of the thread"],
  ["cp.async", "copies from global to shared memory without registers, while the thread goes on"], ["cp.reduce.async.bulk", "the copy engine adds shared memory to global memory"],
  ["mbarrier.init", "sets up a barrier in shared memory, with the number of arrivals it waits for"], ["mbarrier.try_wait", "asks, and waits a while, whether the barrier's phase is over"],
  ["mbarrier.arrive", "arrives at a barrier in shared memory"], ["mbarrier", "works on a barrier in shared memory"],
  ["wgmma.mma_async", "four warps multiply blocks, of which one or both lie in shared memory, and go on meanwhile"], ["wgmma.fence", "orders registers before products of wgmma use them"],
  ["wgmma.commit_group", "closes a group of products"], ["wgmma.wait_group", "waits until at most that many groups of products are under way"],
  ["mma", "a warp multiplies two small blocks in its registers and adds a third"], ["bar.sync", "waits until all threads of the barrier are here"], ["barrier", "waits for other threads, or tells them"],
  ["bar", "waits for other threads, or tells them"], ["fence.proxy", "makes what was written visible to the copy engine or the matrix units"], ["fence", "orders accesses of memory"], ["membar", "orders accesses of memory"],
  ["shfl", "reads a register of another thread of the warp"], ["vote", "asks all threads of the warp about a condition"], ["redux", "all threads of the warp reduce an integer"],
  ["match", "finds threads of the warp with the same value"], ["elect", "chooses one thread of the warp"], ["activemask", "which threads of the warp run"],
  ["atom", "changes memory in one step, and gives the old value"], ["red", "changes memory in one step, and gives nothing back"], ["setmaxnreg", "the warps give registers back, or ask for more"],
  ["fma", "multiplies and adds, rounding once"], ["mad", "multiplies and adds"], ["mul24", "multiplies 24 bits"], ["mul", "multiplies; .wide gives twice the bits, .hi the upper half"], ["add", "adds"], ["sub", "subtracts"],
  ["div", "divides; without .full or .approx it rounds correctly, by many instructions"], ["rem", "the rest of a division"], ["neg", "changes the sign"], ["abs", "the absolute value"], ["min", "the lesser"], ["max", "the larger"],
  ["ex2", "2 to the power of x"], ["lg2", "the logarithm to the base 2"], ["rcp", "1 / x"], ["rsqrt", "1 / the square root"], ["sqrt", "the square root"], ["sin", "the sine"], ["cos", "the cosine"], ["tanh", "the hyperbolic tangent"],
  ["setp", "compares, and sets a predicate"], ["set", "compares, and gives a number"], ["selp", "chooses one of two by a predicate"], ["slct", "chooses one of two by a sign"],
  ["cvt", "converts a number to another type"], ["cvta", "converts an address between a memory and the generic space"], ["mov", "copies a register, packs two, or unpacks one"],
  ["and", "bitwise and"], ["or", "bitwise or"], ["xor", "bitwise exclusive or"], ["not", "bitwise complement"], ["lop3", "any bitwise function of three registers"], ["shl", "shifts to the left"], ["shr", "shifts to the right"], ["shf", "shifts two registers as one"],
  ["prmt", "picks four bytes of two registers"], ["bfe", "takes some bits out"], ["bfi", "puts some bits in"], ["popc", "counts the ones"], ["clz", "counts the zeros in front"], ["brev", "turns the bits around"], ["bfind", "finds the highest one"],
  ["dp4a", "adds four products of bytes"], ["bra", "goes on at a label; with @, only threads whose predicate holds"], ["ret", "the program ends"], ["exit", "the thread ends"], ["trap", "stops the kernel with an error"],
  ["prefetch", "asks for memory that is needed soon"], ["griddepcontrol", "waits for the kernel before, or lets the next one begin"], ["call", "calls a function"],
];
const sassWords = [
  ["LDGSTS", "copies from global to shared memory without registers"], ["LDGDEPBAR", "closes a group of asynchronous copies"], ["DEPBAR", "waits for loads or copies of a group"],
  ["LDG", "loads from global memory"], ["STG", "stores to global memory"], ["LDSM", "a warp loads 8x8 tiles from shared memory"], ["STSM", "a warp stores 8x8 tiles to shared memory"], ["LDS", "loads from shared memory"], ["STS", "stores to shared memory"],
  ["LDL", "loads from memory of the thread's own: mostly what was spilled"], ["STL", "stores to memory of the thread's own: registers do not suffice"], ["LDC", "loads a constant or an argument"], ["ULDC", "loads a constant for the whole warp"],
  ["UTMALDG", "the copy engine (TMA) loads a block into shared memory"], ["UTMASTG", "the copy engine (TMA) stores a block"], ["UBLKCP", "the copy engine copies bytes"], ["SYNCS", "works on a barrier in shared memory"],
  ["HGMMA", "four warps multiply blocks of 16-bit floats in shared memory"], ["QGMMA", "four warps multiply blocks of 8-bit floats in shared memory"], ["IGMMA", "four warps multiply blocks of integers in shared memory"], ["HMMA", "a warp multiplies small blocks of floats"], ["IMMA", "a warp multiplies small blocks of integers"], ["DMMA", "a warp multiplies small blocks of doubles"],
  ["WARPGROUP", "orders or awaits products of four warps"], ["WARPSYNC", "waits for the warp"], ["BAR", "waits until all threads are here"], ["SHFL", "reads a register of another thread of the warp"], ["REDUX", "all threads of the warp reduce an integer"], ["VOTE", "asks all threads of the warp about a condition"],
  ["FFMA", "multiplies and adds floats, rounding once"], ["FADD", "adds floats"], ["FMUL", "multiplies floats"], ["FMNMX", "the lesser or the larger of two floats"], ["FSETP", "compares floats, and sets a predicate"], ["FSEL", "chooses one of two floats"],
  ["HFMA2", "multiplies and adds two pairs of 16-bit floats"], ["HADD2", "adds two pairs of 16-bit floats"], ["HMUL2", "multiplies two pairs of 16-bit floats"], ["DFMA", "multiplies and adds doubles"], ["DADD", "adds doubles"], ["DMUL", "multiplies doubles"],
  ["MUFU", "an approximation by the special function unit, such as 1/x, 2^x or the square root"], ["IMAD", "multiplies and adds integers; often a mere copy"], ["IADD3", "adds three integers"], ["LEA", "shifts and adds: an address"], ["ISETP", "compares integers, and sets a predicate"], ["LOP3", "any bitwise function of three registers"],
  ["SHF", "shifts two registers as one"], ["PRMT", "picks four bytes of two registers"], ["SEL", "chooses one of two by a predicate"], ["F2FP", "packs two floats as narrower ones"], ["F2F", "converts between floats"], ["F2I", "converts a float to an integer"], ["I2F", "converts an integer to a float"],
  ["MOV", "copies a register"], ["S2R", "reads a special register, such as the number of the thread"], ["S2UR", "reads a special register for the whole warp"], ["R2UR", "a register becomes one of the whole warp"], ["CS2R", "reads a special register, or makes a zero"], ["BSSY", "where threads that part will meet again"], ["BSYNC", "threads that parted meet again"], ["BRA", "goes on at another place"], ["EXIT", "the thread ends"], ["NOP", "does nothing"],
  ["ATOMG", "changes global memory in one step, and gives the old value"], ["ATOMS", "changes shared memory in one step, and gives the old value"], ["RED", "changes memory in one step, and gives nothing back"], ["MEMBAR", "orders accesses of memory"], ["FENCE", "makes what was written visible to the copy engine or the matrix units"], ["USETMAXREG", "the warps give registers back, or ask for more"],
];
const amdgcnWords = [
  ["s_waitcnt", "waits until at most that many loads, stores or accesses of shared memory are under way"], ["s_wait", "waits until at most that many accesses of a kind are under way"], ["s_barrier", "waits until all waves of the program are here"], ["s_load", "loads for the whole wave, such as arguments"], ["s_buffer_load", "loads for the whole wave through a buffer"],
  ["s_cbranch", "goes on at a label if a condition of the wave holds"], ["s_branch", "goes on at a label"], ["s_endpgm", "the wave ends"], ["s_and_saveexec", "switches threads off whose condition does not hold, and keeps which were on"], ["s_nop", "waits some clocks"], ["s_setprio", "sets the wave's priority"], ["s_", "works on registers of the whole wave"],
  ["buffer_load", "loads from global memory; places outside of the buffer give 0"], ["buffer_store", "stores to global memory; places outside of the buffer are left out"], ["buffer_atomic", "changes global memory in one step"], ["global_load_lds", "copies from global to shared memory without registers"], ["global_load", "loads from global memory"], ["global_store", "stores to global memory"], ["global_atomic", "changes global memory in one step"], ["flat_", "accesses memory of any kind"],
  ["scratch_load", "loads from memory of the thread's own: mostly what was spilled"], ["scratch_store", "stores to memory of the thread's own: registers do not suffice"], ["ds_read", "loads from shared memory"], ["ds_load", "loads from shared memory"], ["ds_write", "stores to shared memory"], ["ds_store", "stores to shared memory"], ["ds_bpermute", "reads a register of another thread of the wave"], ["ds_permute", "sends a register to another thread of the wave"], ["ds_swizzle", "exchanges registers between threads in a pattern"], ["ds_", "works on shared memory"],
  ["v_mfma", "a wave multiplies small blocks and adds a third (matrix unit)"], ["v_smfmac", "a wave multiplies small blocks, of which one is sparse"], ["v_wmma", "a wave multiplies small blocks and adds a third (matrix unit)"], ["v_accvgpr", "copies between ordinary registers and those of the matrix unit"], ["v_fma", "multiplies and adds, rounding once"], ["v_mad", "multiplies and adds"], ["v_pk", "two operations of 16 or 32 bits at once"], ["v_dot", "adds products of small numbers"],
  ["v_cmp", "compares; the threads for which it holds become bits"], ["v_cndmask", "chooses one of two by a condition"], ["v_cvt", "converts a number to another type"], ["v_exp", "2 to the power of x"], ["v_log", "the logarithm to the base 2"], ["v_rcp", "1 / x"], ["v_rsq", "1 / the square root"], ["v_sqrt", "the square root"], ["v_readlane", "reads a register of one thread for the whole wave"], ["v_readfirstlane", "reads a register of the first thread for the whole wave"], ["v_perm", "picks four bytes of two registers"], ["v_mov", "copies a register; with dpp, that of a neighbour"],
  ["v_add", "adds"], ["v_sub", "subtracts"], ["v_mul", "multiplies"], ["v_max", "the larger"], ["v_min", "the lesser"], ["v_lshl", "shifts to the left"], ["v_lshr", "shifts to the right"], ["v_ashr", "shifts to the right, with the sign"], ["v_and", "bitwise and"], ["v_or", "bitwise or"], ["v_xor", "bitwise exclusive or"], ["v_bfe", "takes some bits out"], ["v_bfi", "puts some bits in"],
];
const tables = { ptx: ptxWords, sass: sassWords, amdgcn: amdgcnWords };

/** The name of a line's instruction; empty where it has none. */
function instructionOf(line, name) {
  const text = line.replace(/\/\*[^*]*\*\//g, "").trim(); // SASS has addresses before instructions
  const [, found] = /^(?:@!?U?%?\w+\s+)?([A-Za-z][\w.:]*)\s*(?!:)/.exec(text) ?? [];
  return !found || found.endsWith(":") || (name === "amdgcn" && !found.includes("_")) ? "" : found;
}

/** Whether the name begins with this word. Those of AMD go on by an underscore or by letters. */
const beginsWith = (instruction, word, name) => instruction.startsWith(word) && (name === "amdgcn" || !/^\w/.test(instruction.slice(word.length)));

/** "ld.global.v4.b32: loads from global memory"; null where nothing is known. */
export function instructionHelp(line, name) {
  const instruction = tables[name] ? instructionOf(line, name) : "";
  const [, does] = (instruction && tables[name].find(([word]) => beginsWith(instruction, word, name))) || [];
  return does ? `${instruction}: ${does}` : null;
}
