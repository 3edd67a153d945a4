"""The fastest of the configurations in which a kernel may run."""

import torch


def fastest(name, configs, run, error_of, tolerance, measure, report=None):
    """(milliseconds, configuration) of the fastest configuration whose results are right; (infinity, None) without one.

    `run(config)` launches, `error_of()` gives the relative error of what it wrote, which must be below `tolerance`, and
    `measure(function)` the milliseconds of a function. `report(config, milliseconds)` is called for each that is right.
    """
    best, best_config = float("inf"), None
    for config in configs:
        try:
            run(config)
            torch.cuda.synchronize()
            error = error_of()
            if not error < tolerance:
                print(f"  {name} {config}: relative error {error:.1e}", flush=True)
                continue
            milliseconds = measure(lambda config=config: run(config))
            if report:
                report(config, milliseconds)
            if milliseconds < best:
                best, best_config = milliseconds, config
        except Exception as error:
            print(f"  {name} {config}: {type(error).__name__}: {str(error)[:300]!r}", flush=True)
    return best, best_config
