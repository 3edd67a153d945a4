"""Whether all configurations of a tuned kernel leave the same bits: which one runs is a matter of times, and of the
arguments in the key, such as how large a batch is."""

from . import _tuning
from ._contents import contents_of
from ._findings import definition_of, launch_finding
from ._invariance import difference_of, noted_launches

KIND = "results that depend on the configuration"
_HELP = "give rows the same split in every configuration, or launch the kernel with one configuration"


class _Comparison:
    """The configurations of one tuned kernel for one key."""

    def __init__(self, session):
        self.session, self.first, self.other = session, None, None

    def look(self, tuner, config, args, kwargs):
        if self.other is not None:
            return
        contents = [each for each in contents_of(tuner.arg_names, args, kwargs) if each.is_float]
        if self.first is None:
            self.first = config, contents
            return
        pairs = zip(self.first[1], contents, strict=True)
        text = next(filter(None, (one.rounding(other) for one, other in pairs)), None)
        if text is not None:
            self.other = config, text

    def _launches(self, tuner, config, args, kwargs):
        with noted_launches(with_sums=True) as launches, _tuning._restored(_tuning._arrays(args, kwargs)):
            tuner._run_hooked(args, kwargs, config)
        return launches

    def report(self, tuner, args, kwargs):
        session = self.session
        session.is_probing = True
        try:
            both = [self._launches(tuner, config, args, kwargs) for config, *_ in (self.first, self.other)]
            kernel, place, why = difference_of(*both)
        except Exception as error:  # the configurations have run before; now the sums are sought
            reason = f"{error}".partition("\n")[0]
            kernel, place, why = tuner.__name__, None, f"{self.other[0]} in place of {self.first[0]} ({reason})"
        finally:
            session.is_probing = False
        place = place or definition_of(tuner)
        detail = f"{self.other[1]} after another configuration: {why}"
        session.current.findings.append(launch_finding(session, KIND, detail, kernel, place, _HELP))


def same_bits(session):
    """A chooser that runs every configuration, and reports those whose results differ by rounding."""

    def choose(tuner, configs, args, kwargs):
        comparison = _Comparison(session)
        chosen = _tuning.each_in_turn(session, comparison.look)(tuner, configs, args, kwargs)
        if comparison.other is not None:
            comparison.report(tuner, args, kwargs)
        return chosen

    return choose
