"""What the frontend makes of a kernel, under the name by which programs look for it that compile kernels themselves."""

from ..backends.compiler import GPUTarget


def _target_of(options):
    """The target that the options of a backend are for."""
    if options.backend_name == "cuda":
        return GPUTarget("cuda", int(options.arch.removeprefix("sm")), options.warp_size)
    return GPUTarget(options.backend_name, options.arch, getattr(options, "warp_size", 0))


def ast_to_ttir(fn, src, context, options, codegen_fns, module_map, module=None):
    """The operations of an ASTSource before any pass; ``str`` prints them for `make_ttir` of the backend."""
    return src.make_ir(_target_of(options), options, codegen_fns, module_map, context)
