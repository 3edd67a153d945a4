// Which processors have which instructions on the values of several lanes.
#include "simulator/amdgpu/Decode.h"
#include "simulator/amdgpu/Handlers.h"

namespace triton::simulator::amdgpu {

/// Whether a processor knows a control of DPP.
static bool hasDppControl(const Architecture &architecture, int64_t control) {
  if (control < 0 || control > 0x16f)
    return false;
  bool isOld = architecture.generation == 9;
  switch (control >> 4) {
  case 0x10:
  case 0x11:
  case 0x12:
    return (control & 15) != 0;
  case 0x13:
    return isOld && control % 4 == 0;
  case 0x14:
    return control <= 0x141 || (isOld && control <= 0x143);
  case 0x15: // row_newbcast, and row_share of the later generations
    return !isOld || architecture.hasMatrixCores();
  case 0x16:
    return !isOld;
  default:
    return control <= 0xff;
  }
}

static bool isAvailable(const Intrinsic &intrinsic) {
  const Architecture &architecture = intrinsic.architecture;
  llvm::StringRef name = intrinsic.name;
  if (name == "update.dpp" || name == "mov.dpp") {
    std::optional<int64_t> control = intrinsic.constant(name == "update.dpp" ? 2 : 1);
    return control && hasDppControl(architecture, *control);
  }
  if (name == "permlane16" || name == "permlanex16" || name == "mov.dpp8")
    return architecture.generation >= 10;
  if (name == "permlane64")
    return architecture.generation >= 11;
  if (name == "permlane16.swap" || name == "permlane32.swap")
    return architecture.isGfx950();
  // llc does not select the vote of 32 lanes for warps of 64.
  if (name == "ballot")
    return intrinsic.call.getType()->isIntegerTy(64) || !architecture.hasWave64;
  return true;
}

llvm::Expected<bool> decodeLanes(const Intrinsic &intrinsic) {
  const Architecture &architecture = intrinsic.architecture;
  std::string name = intrinsic.name.str();
  if ((name == "ds.bpermute" || name == "ds.permute") && architecture.generation >= 10 && architecture.hasWave64)
    name += ".halves";
  Handler handler = findLaneOperation(name);
  if (!handler)
    handler = findDpp(name);
  if (!handler)
    return false;
  llvm::SmallVector<llvm::Type *> components;
  intrinsic.decoder.flatten(intrinsic.call.getType(), components);
  bool takesBits = name == "inverse.ballot" || name == "readlane" || name == "readfirstlane";
  bool isOfBits = components.front()->isIntegerTy(1) && !takesBits;
  bool isWide = intrinsic.decoder.elementBytes(components.front()) > 8;
  if (isOfBits || isWide)
    return intrinsic.decoder.unsupported(intrinsic.call);
  if (!isAvailable(intrinsic))
    return intrinsic.missing();
  return intrinsic.withList(handler);
}

} // namespace triton::simulator::amdgpu
