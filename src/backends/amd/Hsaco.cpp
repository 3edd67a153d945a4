#include "backends/amd/Hsaco.h"

#include "backends/SharedObject.h"
#include "base/PassRunner.h"

#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"

namespace triton::amd {

//===--- Assembling ---------------------------------------------------------------------------------------------===//

/// An object file, which is still to be linked.
static llvm::Expected<std::string> assemble(llvm::StringRef assembly, const llvm::TargetMachine &machine) {
  const llvm::Target &target = machine.getTarget();
  const llvm::MCTargetOptions &options = machine.Options.MCOptions;
  llvm::SourceMgr sources;
  std::string messages;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *text) {
        llvm::raw_string_ostream stream(*static_cast<std::string *>(text));
        diagnostic.print(nullptr, stream, /*ShowColors=*/false);
      },
      &messages);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(assembly, "amdgcn"), llvm::SMLoc());

  llvm::MCContext context(machine.getTargetTriple(), machine.getMCAsmInfo(), machine.getMCRegisterInfo(),
                          machine.getMCSubtargetInfo(), &sources, &options);
  std::unique_ptr<llvm::MCObjectFileInfo> info(target.createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(info.get());

  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target.createMCAsmBackend(*machine.getMCSubtargetInfo(), *machine.getMCRegisterInfo(), options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target.createMCCodeEmitter(*machine.getMCInstrInfo(), context));
  std::unique_ptr<llvm::MCStreamer> streamer(
      target.createMCObjectStreamer(machine.getTargetTriple(), context, std::move(backend), std::move(writer),
                                    std::move(emitter), *machine.getMCSubtargetInfo()));
  std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *machine.getMCAsmInfo()));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      target.createMCAsmParser(*machine.getMCSubtargetInfo(), *parser, *machine.getMCInstrInfo(), options));
  parser->setTargetParser(*targetParser);
  if (parser->Run(/*NoInitialTextSection=*/false))
    return llvm::make_error<base::ToolchainError>("LLVM's assembler refuses the assembly of this kernel:\n" + messages);
  return std::string(object);
}

//===--- Resources ----------------------------------------------------------------------------------------------===//

/// The metadata are YAML within the text. Each of these keys stands alone on its line.
static CodeObjectResources readResources(llvm::StringRef assembly) {
  CodeObjectResources resources;
  const std::pair<llvm::StringRef, int *> fields[] = {
      {".vgpr_count:", &resources.vectorRegisters},
      {".agpr_count:", &resources.accumulators},
      {".sgpr_count:", &resources.scalarRegisters},
      {".vgpr_spill_count:", &resources.vectorSpills},
      {".sgpr_spill_count:", &resources.scalarSpills},
      {".group_segment_fixed_size:", &resources.sharedBytes},
      {".private_segment_fixed_size:", &resources.scratchBytes},
  };
  llvm::StringRef metadata = assembly.substr(assembly.find(".amdgpu_metadata"));
  for (llvm::StringRef line : llvm::split(metadata, '\n')) {
    line = line.trim();
    line.consume_front("- ");
    line = line.ltrim();
    for (auto [key, value] : fields)
      if (line.consume_front(key))
        line.trim().getAsInteger(10, *value);
  }
  return resources;
}

llvm::Expected<CodeObject> makeCodeObject(llvm::StringRef assembly, const AmdgcnOptions &options) {
  llvm::Expected<llvm::TargetMachine &> machine = threadTargetMachine(options);
  if (!machine)
    return machine.takeError();
  llvm::Expected<std::string> object = assemble(assembly, *machine);
  if (!object)
    return object.takeError();
  llvm::Expected<std::string> linked = backends::linkSharedObject({*object}, {"--no-undefined"});
  if (!linked)
    return linked.takeError();
  return CodeObject{std::move(*linked), readResources(assembly)};
}

std::optional<base::StageMessage> findAssemblerError(const std::string &refusal) {
  static const llvm::Regex error("(^|\n)amdgcn:([0-9]+):([0-9]+): error: ([^\n]*)");
  llvm::SmallVector<llvm::StringRef> parts;
  if (!error.match(refusal, &parts))
    return std::nullopt;
  base::StageMessage message{("LLVM's assembler refuses this assembly: " + parts[4]).str(), {}, {}, {}};
  parts[2].getAsInteger(10, message.place.line);
  parts[3].getAsInteger(10, message.place.column);
  return message;
}

} // namespace triton::amd
