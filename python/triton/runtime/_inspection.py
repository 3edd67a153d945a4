"""`kernel.explain` and `kernel.explore`: what the compiler makes of one launch, whose arguments are all known."""

import atexit
import contextlib
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import ModuleType

from .. import _C, knobs
from .._memory import view_at
from ..backends.active import driver, target_text
from ..backends.compiler import GPUTarget
from ..compiler.compiler import ASTSource, make_backend
from ..language.dtypes import dtype
from ..tools.kernel_names import Names, function_of, place_in_file
from ..tools.kernel_objects import is_constant
from ._specialization import create_function_from_signature

#: Arrays of more bytes are not copied for the simulator, which gets random ones instead.
_MOST_BYTES = 1 << 28


def target_of(target):
    """The target of a text such as `cuda:90`; the one that kernels are launched on where none is given."""
    if target is None:
        return driver.active.get_current_target()
    if isinstance(target, GPUTarget):
        return target
    if not isinstance(target, str):
        raise TypeError(f"the target is a `{type(target).__name__}`; write it as text, such as 'cuda:90'")
    backend, arch, warp_size, processor = _C.aot_target(target.removeprefix("sim:"))
    if backend == "cpu":
        return GPUTarget("cpu", processor or os.uname().machine, 0)
    return GPUTarget(backend, int(arch) if arch.isdecimal() else arch, warp_size)


def target_named(target):
    """The same, but of `sim:cuda:90` the simulated GPU."""
    found = target_of(target)
    is_simulated = isinstance(target, str) and target.startswith("sim:")
    return GPUTarget(f"sim:{found.backend}", found.arch, found.warp_size) if is_simulated else found


class Launch:
    """The variant of a kernel that a launch with these arguments runs."""

    def __init__(self, kernel, args, options, target):
        self.kernel, self.target = kernel, target_of(target)
        if not _C.has_backend(self.target.backend):
            raise ValueError(
                f"the target is {self.target.backend}, of another package's backend; give one of this package, such as "
                "target='cuda:90'"
            )
        backend = make_backend(self.target)
        bind = create_function_from_signature(kernel.signature, kernel.params, backend)
        try:
            self.arguments, specialization, rest = bind(*args, **options)
        except TypeError as error:
            raise TypeError(f"`{kernel.__name__}`: {error}; give the arguments as a launch takes them") from None
        rest.setdefault("debug", bool(kernel.debug or knobs.runtime.debug))
        packed = kernel._pack_args(backend, options, self.arguments, specialization, rest)
        self.options, signature, constants, attributes = packed
        self.source = ASTSource._for_launches(kernel, signature, constants, attributes)

    def explain(self, as_json):
        if self.target.warp_size == 0:
            raise ValueError(
                "`explain` is about kernels for GPUs, and launches go to the processor now; name a GPU, which need not "
                "be here: target='cuda:90'"
            )
        source, target = self.source, (self.target.backend, self.target.arch, self.target.warp_size)
        return _C.explain(
            self.kernel, source._arguments, source._kernel_name(), target, self.options.for_compiler(), as_json
        )


def explain(kernel, args, options, target, as_json):
    """What `JITFunction.explain` returns."""
    return Launch(kernel, args, options, target).explain(as_json)


# ---- The launch in the spelling of the command line ----


def _refuse(name, what):
    raise ValueError(f"`{name}` is {what}, which the page's fields do not take; `kernel.explain` takes it")


def _layout_text(layout, scope):
    """The layout as an expression over the kernel's names; None if these have no module with its class."""
    for name, item in scope.items():
        if is_constant(item) and type(item) is type(layout) and item == layout:
            return name
        if isinstance(item, ModuleType) and vars(item).get(type(layout).__name__) is type(layout):
            return re.sub(r"\b(\w+Layout)\(", rf"{name}.\1(", repr(layout))
    return None


def _constant_text(name, value, scope):
    value = _C.plain_number(getattr(value, "value", value))
    if function := function_of(value):
        for own_name, item in scope.items():
            if function_of(item) is function:
                return own_name
        _refuse(name, f"the kernel `{function.__name__}`, of which this one's file does not know")
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    if isinstance(value, str) and not set(value) & set('"\\\n='):
        return f'"{value}"'
    if is_constant(value) and (text := _layout_text(value, scope)):
        return text
    if isinstance(value, dtype) and value.is_floating() or isinstance(value, dtype) and value.is_int():
        return f"tl.{value.name}"
    return _refuse(name, f"a constant of the type `{type(value).__name__}`")


#: Facts of arguments as hints of a signature, for pointers and for numbers.
_HINTS = {"tt.divisibility": ("16", "16"), "tt.pointer_range": ("small", ""), "tt.nonnegative": ("", "natural")}


def _signature_items(launch, scope):
    """{name: item} of the signature, with all facts that the launch selects the variant by."""
    items, source = {}, launch.source
    for index, (name, type_) in enumerate(source.signature.items()):
        if (index,) in source.constants:
            items[name] = _constant_text(name, source.constants[(index,)], scope)
        elif isinstance(type_, tuple):
            _refuse(name, "a tuple")
        else:
            facts = [fact for fact, _ in source.attrs.get((index,), ())]
            is_pointer = str(type_).startswith("*")
            hints = [_HINTS[fact][not is_pointer] for fact in facts if fact in _HINTS]
            items[name] = ":".join([str(type_), *hints, *["own"] * is_pointer])
    return items


def _span(array):
    """(bytes from the array's first element to its last one, or None for arrays of too many; their number)."""
    tensor = getattr(array, "base", None) if type(array).__name__ == "TensorWrapper" else array
    if hasattr(tensor, "untyped_storage"):
        size = tensor.element_size()
        count = 1 + sum((extent - 1) * stride for extent, stride in zip(tensor.shape, tensor.stride(), strict=True))
        count = count if tensor.numel() else 0
        if count * size > _MOST_BYTES:
            return None, count
        begin = tensor.storage_offset() * size
        storage = tensor.untyped_storage().cpu()
        return bytes(view_at(storage.data_ptr() + begin, count * size)), count
    size, strides = tensor.dtype.itemsize, tensor.strides
    count = 1 + sum((extent - 1) * stride for extent, stride in zip(tensor.shape, strides, strict=True)) // size
    count = count if math.prod(tensor.shape) else 0
    if count * size > _MOST_BYTES or not hasattr(tensor, "__array_interface__"):
        return None, count
    return bytes(view_at(tensor.__array_interface__["data"][0], count * size)), count


def _values(launch, items, folder):
    """The arguments as `tritonc run` takes them, arrays in files of the folder."""
    values = []
    for index, (name, item) in enumerate(items.items()):
        argument = launch.arguments[name]
        if item.startswith("*"):
            element = item.split(":")[0].removeprefix("*").removeprefix("k")
            content, count = _span(argument)
            file = Path(folder) / f"{index}.bin"
            if content is not None:
                file.write_bytes(content)
            values.append(f"{name}={'rand' if content is None else f'@{file}'}:{element}[{count}]")
        elif item.startswith("tensordesc"):
            content, _ = _span(argument.base)
            rows = [math.prod(argument.shape[axis + 1 :]) for axis in range(len(argument.shape))]
            if content is None or list(argument.strides) != rows:
                return []  # of these the page makes no launch
            file = Path(folder) / f"{index}.bin"
            file.write_bytes(content)
            values.append(f"{name}=@{file}:{item}[{', '.join(map(str, argument.shape))}]")
        else:
            is_constant = (index,) in launch.source.constants
            values.append(f"{name}={item if is_constant else repr(_C.plain_number(argument))}")
    return values


# ---- The kernel's text ----


def _scope_of(function):
    return function.get_capture_scope()


class _Texts:
    """The files that the page shows: those of the kernels or, where Python alone has a kernel's text, files that are
    written for it."""

    def __init__(self, folder):
        self._folder, self._written = Path(folder), {}
        self.names = Names(place_of=self.place)

    def place(self, function):
        """(file, line of the `def`), as a text from which the kernel can be loaded by its name."""
        file, line = place_in_file(function)
        is_global = "." not in function.__qualname__ and function_of(_scope_of(function).get(function.__name__))
        if os.path.isfile(file) and is_global is function:
            self.names.add(file, _scope_of(function))
            return file, line
        if function not in self._written:
            self._written[function] = self._write(function)
        return self._written[function]

    def _write(self, function):
        """A file with the kernel, and imports for the names that it reads."""
        scope = _scope_of(function)
        imports, taken = ["import triton"], []
        for name in sorted(function._outside_names() & scope.keys() - {"triton"}):
            value = scope[name]
            is_module = isinstance(value, ModuleType)
            (imports if is_module else taken).append(f"import {value.__name__} as {name}" if is_module else name)
        if taken:
            imports.append(f"from {function.__module__} import {', '.join(taken)}")
        language = "triton.experimental.gluon" if function.is_gluon() else "triton"
        imports += [f"import {language}"] * function.is_gluon()
        text = "\n".join(imports) + f"\n\n\n@{language}.jit\n"
        file = self._folder / f"{function.__name__}_{len(self._written)}.py"
        file.write_text(text + function.src)
        self.names.add(file, scope)
        return str(file), text.count("\n") + 1


# ---- The page ----


def _find_tritonc():
    """The program of a build or of the Debian package, which serve pages, or else the command of this package."""
    built = Path(_C.__file__).parents[2] / "tools/tritonc/tritonc"
    found = str(built) if built.is_file() else shutil.which("tritonc")
    return [found] if found else [sys.executable, "-m", "triton.tools.tritonc"]


def _command(launch, grid, folder, texts):
    file, _ = texts.place(launch.kernel)
    items = _signature_items(launch, _scope_of(launch.kernel))
    options = launch.options
    command = [
        *_find_tritonc(),
        "explore",
        f"{file}:{launch.kernel.__name__}",
        f"--target={target_text(launch.target)}",
    ]
    command.append("--signature=" + ", ".join(f"{name}={item}" for name, item in items.items()))
    command += [
        f"--{name.replace('_', '-')}={getattr(options, name)}" for name in ("num_warps", "num_stages", "num_ctas")
    ]
    command += ["--debug-asserts"] * bool(options.debug) + ["--no-fp-fusion"] * (not options.enable_fp_fusion)
    if grid is not None and launch.target.warp_size and (values := _values(launch, items, folder)):
        extents = grid(launch.arguments) if callable(grid) else grid
        extents = (extents,) if isinstance(extents, int) else extents
        command.append("--grid=" + ",".join(str(int(extent)) for extent in extents))
        command += [f"--arg={value}" for value in values]
    return command


class _Page:
    """A running `tritonc explore`, which asks this program for what kernels read."""

    def __init__(self, command, names, folder, output):
        self._folder = folder
        own, its = socket.socketpair()
        command = [*command, f"--python-socket={its.fileno()}"] + ([f"--export={output}"] if output else [])
        # In a process group of its own: Ctrl-C is for this program, which ends the page.
        self.process = subprocess.Popen(
            command,
            pass_fds=[its.fileno()],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if output else None,
            text=True,
            start_new_session=True,
        )
        its.close()
        threading.Thread(target=names.serve, args=(own,), daemon=True).start()

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _is_interactive():
    return hasattr(sys, "ps1") or sys.flags.interactive or "ipykernel" in sys.modules


def explore(kernel, args, options, target, grid, open_browser, output):
    """What `JITFunction.explore` does."""
    launch = Launch(kernel, args, options, target)
    folder = tempfile.mkdtemp(prefix="triton-explore-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    texts = _Texts(folder)
    page = _Page(_command(launch, grid, folder, texts), texts.names, folder, output)
    if output:
        problem = page.process.communicate()[1]
        page.close()
        if page.process.returncode:
            raise RuntimeError(f"no page was written: {problem.strip()}")
        return os.fspath(output)
    atexit.register(page.close)
    address = page.process.stdout.readline().removeprefix("open ").strip()
    if not address:
        raise RuntimeError("`tritonc explore` does not start; its message is above")
    if not open_browser:
        return address
    import webbrowser

    webbrowser.open(address)
    if not _is_interactive():
        print(f"{kernel.__name__} is shown at {address}\nCtrl-C ends it")
        with contextlib.suppress(KeyboardInterrupt):
            page.process.wait()
        page.close()
    return address
