"""A process that runs the programs of the seeds that it is sent, and answers with what became of each."""

import os
import traceback
import warnings


def work(pipe, target_name, folder, settings):
    """Runs until it is sent None. Ends early where nothing else can run: after a launch that failed on a GPU."""
    from .targets import ENVIRONMENT

    os.environ.update(ENVIRONMENT.get(target_name, {}))
    os.environ.update(settings["environment"])
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "cache")
    warnings.simplefilter("ignore")
    from .targets import Target
    from .trial import attempt

    target = Target(target_name)
    pipe.send(("ready", ""))
    while True:
        seed = pipe.recv()
        if seed is None:
            return
        try:
            outcome, text = attempt(target, seed, folder, settings["topic"])
        except Exception:
            outcome, text = "failed", f"the fuzzer itself:\n{traceback.format_exc()}"
        pipe.send((outcome, text))
        if outcome == "failed" and target_name == "cuda":
            return
