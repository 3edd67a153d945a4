"""Launches that TRITON_RECORD has written, in the spelling of the command line: what `tritonc explore --launch` asks.

    python -m triton.tools.recorded_launches FOLDER TARGET FILE...

prints a list of JSON with an object for each file: `kernel`; `text`, which describes the launch; `values`, the items of
the signature by parameter; `num_warps` and `num_stages`; `grid` and `arguments` as `tritonc run` takes them. The
contents of arrays are written to files in the folder.
"""

import json
import sys
from pathlib import Path

from ..runtime._inspection import Launch, _scope_of, _signature_items, _values
from ..runtime._launch_files import LaunchFileError, Replay


def fields_of(path, target, folder):
    """What the page asks with to show the launch."""
    folder.mkdir(parents=True)
    replay = Replay(path, str(folder))
    args, keywords = replay.arguments()
    launch = Launch(replay.kernel, args, keywords, target)
    items = _signature_items(launch, _scope_of(replay.kernel))
    values = _values(launch, items, folder)
    name, grid = Path(path).name.removesuffix(".launch.safetensors"), ",".join(map(str, replay.grid))
    return {
        "kernel": replay.kernel.__name__,
        "text": f"the launch {name}: grid {grid}",
        "values": items,
        "num_warps": launch.options.num_warps,
        "num_stages": launch.options.num_stages,
        "grid": grid if values else "",
        "arguments": ", ".join(values),
    }


def main(folder, target, *paths):
    launches = []
    for number, path in enumerate(paths):
        try:
            launches.append(fields_of(path, target, Path(folder) / str(number)))
        except (LaunchFileError, OSError, ValueError, TypeError) as error:
            text = str(error)
            sys.exit(text if path in text else f"`{path}`: {text}")
    print(json.dumps(launches))


if __name__ == "__main__":
    main(*sys.argv[1:])
