"""A line on the terminal that shows how far something is."""

import os
import shutil
import sys
import time

_bars = []  # that are shown, the latest last


def say(text):
    """Prints a line, above the bar where one is shown."""
    bar = _bars[-1] if _bars else None
    if bar:
        bar._hide()
    print(text, flush=bar is not None)
    if bar:
        bar._show()


class ProgressBar:
    """Shows `title [####----] done/total`, on a terminal only, and removes the line at the end of the `with` block."""

    WIDTH = 24

    def __init__(self, title, total, stream=None):
        self.title, self.total = title, total
        self.stream = sys.stderr if stream is None else stream
        self.done, self.note = 0, ""
        self.start = time.monotonic()
        is_terminal = getattr(self.stream, "isatty", lambda: False)()
        self.visible = total > 1 and is_terminal and os.environ.get("TERM") != "dumb"

    def _show(self):
        if self.visible:
            filled = self.WIDTH * self.done // self.total
            bar = "#" * filled + "-" * (self.WIDTH - filled)
            seconds = time.monotonic() - self.start
            text = f"{self.title} [{bar}] {self.done}/{self.total} {seconds:.1f} s"
            if 0 < self.done < self.total:
                text += f", about {seconds / self.done * (self.total - self.done):.1f} s left"
            text += f"; {self.note}" if self.note else ""
            columns = shutil.get_terminal_size().columns  # a line that wraps would stay
            self.stream.write(f"\r{text[: columns - 1]}\033[K")
            self.stream.flush()

    def _hide(self):
        if self.visible:
            self.stream.write("\r\033[K")
            self.stream.flush()

    def advance(self, note=""):
        self.done += 1
        self.note = note
        self._show()

    def __enter__(self):
        _bars.append(self)
        self._show()
        return self

    def __exit__(self, *exception):
        _bars.remove(self)
        self._hide()
