"""How the commands of the package show their help: with defaults, and with examples that keep their lines."""

import argparse


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Names the default of each option that has one."""

    def _get_help_string(self, action):
        has_default = action.default not in (None, "", False, argparse.SUPPRESS)
        return f"{action.help or ''} (default: %(default)s)".lstrip() if has_default else action.help


def with_examples(*commands):
    """What a parser needs to show these commands."""
    return {"formatter_class": HelpFormatter, "epilog": "examples:\n" + "\n".join("  " + line for line in commands)}
