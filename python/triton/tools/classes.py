"""Lists the classes of launches that a kernel can have.

    python -m triton.tools.classes add.py:add --arg x=*fp32:16 --arg n=1..65536 --arg BLOCK=64,128 --target cuda:90

`tritonc classes` is the same. The kernel's file is executed.
"""

import ast
import contextlib
import json
import os
import sys
from argparse import ArgumentParser

from .. import language
from .._help import with_examples
from ..errors import TritonError
from ..runtime.jit import KernelInterface
from .kernel_names import function_of, module_of_file


def declaration_of(text):
    """What `kernel.classes` takes, of ``1..64``, ``any``, ``*fp32:16``, ``64,128``, ``{64, 128}``, ``True`` or
    ``tl.float16``. ValueError for other texts."""
    text = text.strip()
    if text[:1] + text[-1:] in ("{}", "[]"):
        text = text[1:-1]
    parts = [part.strip() for part in text.split(",")]
    return [_one(part) for part in parts] if len(parts) > 1 else _one(text)


def _one(text):
    if text == "any":
        return any
    if ".." in text or text.startswith("*"):
        return text
    if text.startswith("tl."):
        return getattr(language, text[3:], None) or _refuse(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return _refuse(text)


def _refuse(text):
    raise ValueError(
        f"`{text}` declares nothing; give a range as in 1..65536, `any`, a type of pointers as in *fp32:16, values "
        'with commas in between as in 64,128, or a text in quotes as in "relu"'
    )


def kernel_named(path):
    """The kernel of ``file.py:kernel``, or of ``file.py`` if it has only one. ValueError if there is none."""
    file, _, name = path.partition(":")
    if not os.path.isfile(file):
        raise ValueError(f"there is no file `{file}`; name a kernel as file.py:kernel")
    module = module_of_file(file)
    own = os.path.realpath(file)
    found = {
        each: value
        for each, value in vars(module).items()
        if isinstance(value, KernelInterface) and os.path.realpath(function_of(value).def_file_name) == own
    }
    if name:
        if name not in found:
            raise ValueError(f"`{file}` has no kernel `{name}`; it has {', '.join(found) or 'none'}")
        return found[name]
    if len(found) != 1:
        raise ValueError(f"`{file}` has {len(found)} kernels; name one of them: {', '.join(found)}")
    return next(iter(found.values()))


def _declared(arguments):
    declared = {}
    for each in arguments:
        name, equals, text = each.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"`{each}` is not a declaration; write the name of a parameter, `=`, and what it may be")
        declared[name.strip()] = declaration_of(text)
    return declared


def _as_json(classes):
    return json.dumps(
        {
            "kernel": classes.kernel.__name__,
            "number": len(classes),
            "factors": classes.factors,
            "unspecialized": classes.unspecialized,
            **({"costs": classes._costs} if classes._costs is not None else {}),
            "classes": [each.facts for each in classes],
        },
        indent=2,
    )


@contextlib.contextmanager
def _printing_to_stderr():
    """For what kernels print when they are compiled, which is not in the table."""
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(output, 1)
        os.close(output)


def main(prog="python -m triton.tools.classes"):
    parser = ArgumentParser(
        prog=prog,
        description=__doc__.partition("\n")[0],
        **with_examples(f"{prog} add.py:add --arg 'x=*fp32:16' --arg n=1..65536 --arg BLOCK=64,128 --target cuda:90"),
    )
    parser.add_argument("kernel", help="file.py:kernel; the file is executed")
    parser.add_argument("--arg", action="append", default=[], metavar="NAME=VALUES", help="what launches may give")
    parser.add_argument("--target", default="cpu", help="such as cuda:90 or hip:gfx942")
    parser.add_argument(
        "--costs", action="store_true", help="say what do_not_specialize costs in speed, by clocks of the simulator"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    try:
        classes = kernel_named(args.kernel).classes(target=args.target, **_declared(args.arg))
        if args.costs:
            with _printing_to_stderr():
                classes.costs()
    except (ValueError, TypeError, OSError, ImportError, SyntaxError) as error:
        parser.exit(2, f"{prog}: {error}\n")
    except TritonError as error:  # a class that cannot be compiled
        parser.exit(1, f"{error}\n")
    print(_as_json(classes) if args.json else classes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
