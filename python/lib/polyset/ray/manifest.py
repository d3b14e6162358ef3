"""The manifest of `polyset thumbs`, written by one process for all workers (docs/thumbnails.md).

Lines are added as they come, whole ones at a time; at the end of a run they are put into the order of the
list. What a run that was killed has left is read by the next one, and by `polyset thumbs`.
"""

import json
import os
import pathlib
import tempfile

try:
    import fcntl
except ImportError:  # Windows: nobody can be told apart.
    fcntl = None

# How every line begins that was written by polyset.
_BEGINNING = b'{"input":'


class Manifest:
    """Lines that count, by model: where in the file they are."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(self.path, "a+b")
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BlockingIOError(f"another run is writing the manifest '{path}'") from None
        self._spans = {}
        self._read()

    def _read(self):
        self._file.seek(0)
        end = 0
        for text in self._file:
            if not text.endswith(b"\n"):
                break
            try:
                line = json.loads(text)
                self._note(line["input"], line.get("picture", 0), end, len(text))
            except (ValueError, KeyError, TypeError):
                # A damaged line: the others count.
                if end == 0 and not text.startswith(_BEGINNING):
                    break
            end += len(text)
        self._file.seek(0)
        if end == 0 and not _BEGINNING.startswith(self._file.read(len(_BEGINNING))):
            raise ValueError(
                f"'{self.path}' is there and is no manifest of thumbnails; "
                "give another name with --manifest"
            )
        # A line that a killed run was at.
        self._file.truncate(end)
        self._end = end

    def _note(self, name, picture, start, length):
        spans = self._spans.setdefault(name, [])
        # Every run begins with the first picture of a model.
        if picture == 0:
            spans.clear()
        spans.append((start, length))

    def _text(self, span):
        start, length = span
        self._file.seek(start)
        return self._file.read(length)

    def of(self, name):
        """The lines of a model as one text."""
        return b"".join(map(self._text, self._spans.get(name, ()))).decode()

    def add(self, text, line):
        data = text.encode() + b"\n"
        self._file.write(data)
        self._file.flush()
        self._note(line["input"], line["picture"], self._end, len(data))
        self._end += len(data)

    def sort(self, names):
        """Puts the lines into the order of the models; those of others come behind."""
        ordered = [span for name in names for span in self._spans.pop(name, ())]
        ordered += sorted(span for spans in self._spans.values() for span in spans)
        with tempfile.NamedTemporaryFile(
            dir=self.path.parent, prefix=".polyset-", delete=False
        ) as file:
            try:
                for span in ordered:
                    file.write(self._text(span))
                file.flush()
                os.chmod(file.name, self.path.stat().st_mode & 0o777)
                os.replace(file.name, self.path)
            except BaseException:
                os.unlink(file.name)
                raise

    def close(self):
        self._file.close()
