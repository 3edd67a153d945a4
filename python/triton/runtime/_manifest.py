"""What a folder of classes that were compiled ahead of time says of itself: which build of the package made it, for
what targets, and the hash of each file; and whether all of that is still true."""

import hashlib
import hmac
import json
import os

from .. import _C
from .._version import __version__
from ..backends.active import target_text

FILE_NAME = "manifest.json"
SIGNATURE_NAME = "manifest.hmac"
_FORMAT = 1


def write(folder, targets, key=None):
    """Writes the list of the folder's files, for GPUTargets. With a key, bytes, it is signed by
    HMAC-SHA256."""
    _forget_places(folder)
    data = json.dumps({**facts_of(targets), "files": _hashes(folder)}, indent=1, sort_keys=True).encode()
    _C.write_whole_file(os.path.join(folder, FILE_NAME), data)
    signature = os.path.join(folder, SIGNATURE_NAME)
    if key is not None:
        _C.write_whole_file(signature, _sign(data, key))
    elif os.path.exists(signature):
        os.unlink(signature)


def facts_of(targets):
    """What is true of all that this build of the package compiles for the GPUTargets."""
    return {
        "format": _FORMAT,
        "triton": __version__,
        "build": _C.build_identity(),
        "launches": _C.launch_format,
        "targets": sorted(map(target_text, targets)),
    }


def _forget_places(folder):
    """Lists of an entry's files have their paths on this machine, which make folders differ that hold the same."""
    for directory, _, names in os.walk(folder):
        for name in names:
            if name.startswith("__grp__"):
                path = os.path.join(directory, name)
                with open(path, "rb") as file:
                    group = json.loads(file.read())
                group["child_paths"] = {child: child for child in sorted(group["child_paths"])}
                _C.write_whole_file(path, json.dumps(group, sort_keys=True).encode())


def _hashes(folder):
    """{path in the folder: SHA-256} of all files but the list itself."""
    hashes = {}
    for directory, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(directory, name)
            relative = os.path.relpath(path, folder)
            if relative not in (FILE_NAME, SIGNATURE_NAME):
                with open(path, "rb") as file:
                    hashes[relative] = hashlib.sha256(file.read()).hexdigest()
    return hashes


def check_key(key):
    """ValueError for one that everybody knows."""
    if not key:
        raise ValueError("the key is empty; it must be bytes that only those know who may sign")


def _sign(data, key):
    return hmac.new(key, data, hashlib.sha256).hexdigest().encode() + b"\n"


def _read(folder):
    """(the list's facts, its bytes), or (None, None) where there is none. ValueError for what is not one."""
    path = os.path.join(folder, FILE_NAME)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return None, None
    return read_facts(data, path), data


def read_facts(data, path):
    """What `facts_of` gave, of the bytes of JSON; also ``files`` if it is of a folder. ValueError for others."""
    try:
        facts = json.loads(data)
        version = facts["format"]
        if version == _FORMAT:
            facts["triton"] + facts["build"], sorted(facts["targets"]), facts.get("files", {}).items()  # noqa: B018  types
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(
            f"`{path}` is not a list that `triton.tools.build` has written; build the folder again"
        ) from None
    if version != _FORMAT:
        raise ValueError(f"`{path}` has the format {version}; this version of the package reads the format {_FORMAT}")
    return facts


def problems_of(folder, target):
    """A sentence for each reason why launches on the target find nothing in the folder."""
    try:
        facts, _ = _read(folder)
    except ValueError as error:
        return [str(error)]
    return [] if facts is None else problems_with(facts, folder, target)


def is_of_this_build(facts):
    return facts["build"] == _C.build_identity()


def is_compatible(facts):
    """Whether the machine code of a bundle is launched here: this build has made it, or one whose version differs in
    its last part alone and that asks the same of launches."""
    is_near = _series(facts["triton"]) == _series(__version__) and facts.get("launches") == _C.launch_format
    return is_of_this_build(facts) or is_near


def _series(version):
    """The version without its last part, such as "3.9"."""
    return ".".join(version.partition("+")[0].split(".")[:2])


def problems_of_bundle(facts, path, target):
    """A sentence for each reason why launches on the target find nothing in the bundle."""
    problems = []
    if not is_compatible(facts):
        what = f"of version {facts['triton']}, and this is version {__version__}"
        if _series(facts["triton"]) == _series(__version__):
            what += ", whose kernels are launched in another way"
        series = _series(__version__)
        problems.append(f"the bundle `{path}` is {what}; build it with {series} to have its kernels not compiled again")
    return problems + _problems_of_targets(facts, path, target)


def problems_with(facts, folder, target):
    """The same for the facts of a folder, which the disk cache finds for this build alone."""
    problems = []
    if not is_of_this_build(facts):
        problems.append(
            f"the classes of `{folder}` were compiled by another build, {facts['triton']}; this one, {__version__}, "
            "compiles them again"
        )
    return problems + _problems_of_targets(facts, folder, target)


def _problems_of_targets(facts, folder, target):
    problems = []
    if target_text(target) not in facts["targets"]:
        targets = ", ".join(facts["targets"])
        problems.append(f"the classes of `{folder}` are for {targets}, and kernels run on {target_text(target)} here")
    return problems


def verify(folder, key):
    """ValueError with a sentence unless the list is signed by the key, and all files are what it says."""
    check_key(key)
    facts, data = _read(folder)
    signature = os.path.join(folder, SIGNATURE_NAME)
    if facts is None or not os.path.exists(signature):
        raise ValueError(f"the folder `{folder}` is not signed; build it with `--key`, or load it without a key")
    with open(signature, "rb") as file:
        if not hmac.compare_digest(file.read().strip(), _sign(data, key).strip()):
            raise ValueError(f"`{signature}` is not the signature of the list by this key: one of the three is another")
    _refuse_links(folder)
    found = _hashes(folder)
    names = sorted({*found, *facts["files"]})
    wrong = [name for name in names if found.get(name) != facts["files"].get(name)]
    if wrong:
        what = "is missing" if wrong[0] not in found else "has changed"
        if wrong[0] not in facts["files"]:
            what = "is not in the list"
        more = f", and so on: {len(wrong)} files" if len(wrong) > 1 else ""
        raise ValueError(f"the folder `{folder}` is not what was signed: `{wrong[0]}` {what}{more}; get it anew")


def _refuse_links(folder):
    """What a link names may change after it was signed, and files behind a link to a folder have no hashes."""
    for directory, *names in os.walk(folder):
        for name in sum(names, []):
            path = os.path.join(directory, name)
            if os.path.islink(path):
                raise ValueError(
                    f"the folder `{folder}` is not what was signed: `{os.path.relpath(path, folder)}` is a symbolic "
                    "link, and must be a file or a folder; get it anew"
                )
