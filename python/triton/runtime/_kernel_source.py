"""The text of a kernel, and where it stands in its file."""

from ._code_names import get_def_line_number


class KernelSource:
    """What `JITFunction` has of its source. Programs may replace the text and assign its place."""

    #: Attributes that hold the text and its place.
    _SOURCE = ("file_name", "_source_text", "_column_offset", "_starting_line", "_def_line", "raw_src")

    _def_line = None  # where it was assigned
    _is_as_read = False  # whether neither text nor place was replaced

    def _read_source(self, fn):
        import inspect
        import textwrap

        try:
            lines, first = inspect.getsourcelines(fn)
        except (OSError, TypeError) as error:
            raise ValueError(
                f"`{fn.__qualname__}` has no source text that can be read: @triton.jit functions must be "
                "defined in a file"
            ) from error
        self.file_name = inspect.getsourcefile(fn) or fn.__code__.co_filename
        text = "".join(lines)
        self._source_text = textwrap.dedent(text)
        self._column_offset = len(lines[0]) - len(lines[0].lstrip()) if self._source_text != text else 0
        self._starting_line = max(first, 1)
        self.raw_src = lines
        self._is_as_read = True

    @property
    def src(self):
        """The text from ``def`` on."""
        start = self._source_text.find("def ")
        return self._source_text[start:]

    def _unsafe_update_src(self, new_src):
        """Replaces the text of the function and forgets the compiled variants."""
        import re

        self._source_text = new_src
        self._updated_names = set(re.findall(r"[A-Za-z_]\w*", new_src))
        self._column_offset = 0
        self._is_as_read = False
        self._hash = None
        self._reset()

    @property
    def def_file_name(self):
        return self.file_name

    # Where the text is in its file. Programs that make a kernel from another's text assign the other's place, which
    # errors and debug information then name.

    def _move(self, **places):
        self.__dict__.update(places, _is_as_read=False)
        self._hash = None
        self._reset()

    @property
    def def_file_line_number(self):
        if self._def_line is not None:
            return self._def_line
        return get_def_line_number(self.raw_src, self._starting_line)

    @def_file_line_number.setter
    def def_file_line_number(self, line):
        self._move(_def_line=line)

    @property
    def def_file_col_number(self):
        """The column of ``def``, counted from 1."""
        return self._column_offset + 1

    @def_file_col_number.setter
    def def_file_col_number(self, column):
        self._move(_column_offset=max(column - 1, 0))

    @property
    def starting_line_number(self):
        return self._starting_line

    @starting_line_number.setter
    def starting_line_number(self, line):
        self._move(_starting_line=line)

    @property
    def _first_line(self):
        """The line of the file where the text starts, so that its ``def`` is where it is said to be."""
        if self._is_as_read:
            return self._starting_line
        return max(self.def_file_line_number - get_def_line_number(self._source_text.splitlines(), 0), 1)
