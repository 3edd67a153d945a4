"""The stages of a compilation as Python functions, for programs that look into them or replace them."""

import dataclasses
import json

from .. import _C
from .._utils import digest
from .._version import __version__

#: For whom the compiler works until a backend of another package goes on. Nothing of this target is in the text.
_ANY_TARGET = ("cpu", "", 0)


#: The stages of machine code, whose artifacts are bytes. A simulator runs text.
BINARY = ("cubin", "hsaco", "o")


def _language_options(options):
    """The options of another package's backend that decide what the frontend writes."""
    defaults = {
        "num_warps": 4,
        "num_stages": 3,
        "num_ctas": 1,
        "debug": False,
        "sanitize_overflow": False,
        "enable_fp_fusion": True,
    }
    given = {name: getattr(options, name, None) for name in defaults}
    return {name: default if given[name] is None else given[name] for name, default in defaults.items()}


def source_text(src, options):
    """The text that the frontend makes of an ASTSource, for a backend of another package."""
    handle = src._compile(_ANY_TARGET, _language_options(options), 0, "source")
    return handle.artifact("source").decode()


def optimize_ttir(options, src, metadata):
    """The stage `ttir` of a backend of another package: simplified, without calls, block pointers and descriptors."""
    if not isinstance(src, str):
        raise TypeError(f"the stage `ttir` takes a text, not a `{type(src).__name__}`")
    handle = _C.compile_text(src, "ttir", "kernel.ttir", _ANY_TARGET, _language_options(options), 0, "ttir")
    return handle.artifact("ttir").decode()


def make_stage(target, options, stage, before, src, metadata):
    """The artifact of one stage, made of the text of the stage ``before``, for programs that launch kernels themselves:
    with as many warps as were asked for, and without arguments that only this package passes."""
    text = str(src)
    if before == "source":
        before, text = "ttir", _with_fixed_warps(text)
    options = {**options.for_compiler(), **options.elsewhere}
    full_target = (target.backend, target.arch, target.warp_size)
    handle = _C.compile_text(text, before, f"kernel.{before}", full_target, options, 0, stage)
    facts = json.loads(handle.metadata or "{}")
    for fact, what, instead in _ONLY_HERE:
        if facts.get(fact):
            raise RuntimeError(f"`{handle.name}` gets {what} from its launch, which only this package makes; {instead}")
    metadata.setdefault("name", handle.name)  # text of machine code has none
    metadata.update({"tmem_size": 0, "tensordesc_meta": [], **facts, "name": metadata["name"]})
    data = handle.artifact(stage)
    return data if stage in BINARY else data.decode(errors="replace")


#: What other launchers do not pass, as the metadata say it, and what to do instead.
_ONLY_HERE = (
    ("tensor_maps", "tensor maps", "compile it with TRITON_DISABLE_WARP_SPECIALIZATION=1"),
    ("messages", "a buffer for messages", "leave out `tl.device_print` and `tl.device_assert`"),
)


def _with_fixed_warps(text):
    """The text of a module whose programs keep the number of their warps."""
    if "tt.fixed_warps" in text:
        return text
    start, attributes, rest = text.partition("module attributes {")
    if not attributes:
        return text.replace("module {", "module attributes {tt.fixed_warps} {", 1)
    return f"{start}{attributes}tt.fixed_warps, {rest}"


class Lowering:
    """What the compiler's own stages make of a text. It is compiled to the end at once, since later stages follow."""

    def __init__(self, target, options, stages):
        self._target, self._options, self._stages = (target.backend, target.arch, target.warp_size), options, stages
        self._given = {}  # stage → the text that was compiled
        self.handle = None

    def start(self, handle, stage, text):
        """Takes what was compiled already, from the text of a stage."""
        self.handle, self._given = handle, {stage: text}

    def artifact(self, stage):
        """Text, or the bytes of machine code."""
        data = self.handle.artifact(stage)
        return data if stage in BINARY else data.decode(errors="replace")

    def _is_known(self, stage, text):
        return self.handle is not None and (
            self._given.get(stage) == text or stage in self.handle.stages and self.artifact(stage) == text
        )

    def lower(self, stage, src, metadata):
        """The artifact of a stage, made of the text of the stage before, which may have been changed."""
        before = ("source", *self._stages)[self._stages.index(stage)]
        if not isinstance(src, str):
            raise TypeError(f"the stage `{stage}` takes the text of the stage `{before}`, not a `{type(src).__name__}`")
        if not self._is_known(before, src):
            ext = "ttir" if before == "source" else before
            threads = self._options.num_cpu_threads
            handle = _C.compile_text(src, ext, f"changed.{before}", self._target, self._options.for_compiler(), threads)
            self.start(handle, before, src)
        metadata.update(json.loads(self.handle.metadata or "{}"))
        return self.artifact(stage)


def _with_binary(handle, stage, data):
    """The kernel with other machine code, or with other text in a simulator."""
    data = data if isinstance(data, bytes) else data.encode()
    key, metadata, artifacts, *rest = handle.__getstate__()
    key = digest(key + data.decode("latin-1"))
    metadata = json.dumps({**json.loads(metadata), "hash": key})
    changed = type(handle).__new__(type(handle))
    changed.__setstate__((key, metadata, {**artifacts, stage: data}, *rest))
    return changed


def compile_by_stages(src, backend, options, language):
    """Calls the functions of `backend.add_stages` in turn, for an ASTSource or the text of an IRSource.

    Returns the kernel's handle, the artifacts by stage, and what the functions added to the metadata.
    """
    stages = {}
    backend.add_stages(stages, options, language)
    last = backend.stage_names[-1]
    if not stages or list(stages)[-1] != last:
        raise ValueError(f"the stages are {', '.join(stages) or 'none'}; the last one must be `{last}`")
    lowering, target = backend.lowering, backend.target
    handle = src._compile(
        (target.backend, target.arch, target.warp_size), options.for_compiler(), options.num_cpu_threads
    )
    stage, text = (src.ext, src.src) if hasattr(src, "path") else ("source", handle.artifact("source").decode())
    lowering.start(handle, stage, text)
    known = {**dataclasses.asdict(options), "hash": handle.hash, "target": target, "triton_version": __version__}
    metadata, artifacts = dict(known), {stage: text}
    names = list(stages)
    for name in names[names.index(stage) + 1 if stage in names else 0 :]:
        text = stages[name](text, metadata)
        if not isinstance(text, bytes if name in BINARY else str):
            expected = "bytes" if name in BINARY else "a text"
            raise TypeError(
                f"the function of stage `{name}` returned a `{type(text).__name__}`; it must return {expected}"
            )
        artifacts[name] = text
    handle = lowering.handle
    if text != lowering.artifact(last):
        handle = _with_binary(handle, last, text)
    own = {*known, *json.loads(handle.metadata or "{}")}
    return handle, artifacts, {name: value for name, value in metadata.items() if name not in own}
