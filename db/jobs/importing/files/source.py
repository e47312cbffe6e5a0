"""Source file: a file on disk, or in a ZIP file, read whatever its compression, and a text whatever its encoding."""

import codecs
import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, TextIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, is_zipfile

from charset_normalizer import from_bytes

from db.errors import OperatorError, printable
from db.jobs.importing.files.text_lines import UnreadableText, opened_text
from db.jobs.importing.rows import Advance

BUFFER = 1 << 18
"""Bytes that are read at once."""

ENCODINGS: Mapping[str, str] = {
    "utf_16": "UTF-16",
    "utf_16_le": "UTF-16",
    "utf_16_be": "UTF-16",
    "cp1252": "Windows-1252",
}
"""The encodings of texts that are not UTF-8."""

AS_CSV = "save each sheet as CSV in UTF-8 (File, Save As, then CSV UTF-8 in Excel, or Text CSV in LibreOffice)"

OTHER_KINDS: Mapping[bytes, str] = {
    b"PK\x03\x04": f"is a ZIP file in another file, or an Excel workbook: unpack it, or {AS_CSV}",
    b"\xd0\xcf\x11\xe0": f"is an Excel workbook: {AS_CSV}",
    b"\x1f\x8b": "is compressed twice: unpack it",
    b"PAR1": "is a Parquet file: give the file a name that ends in .parquet",
    b"%PDF": "is a PDF document: export the data as CSV",
    **dict.fromkeys((b"<html", b"<!doct"), "is a web page: export the data as CSV while you are logged in"),
}
"""The first bytes of files that are no text, and what to do with them."""

AGAIN = "export or copy it again"

NO_ZIP = f"is not a whole ZIP file: {AGAIN}"

MAX_FILES = 250
"""Files in a ZIP file: its list is read for each of them."""

MAX_DIRECTORY = 1 << 20
"""Bytes of the list of a ZIP file, which is read before its members are counted."""

MAX_RATIO, MIN_BOUND = 100, 32 << 20
"""How many times as large as on disk the unpacked bytes may be, if they are more than MIN_BOUND. Texts have 5 to 30."""

BOMB = f"is more than {MAX_RATIO} times as large when it is unpacked: unpack it"

IS_ENCRYPTED = 0x1
"""The flag of a member of a ZIP file that has a password."""

TOO_MANY = f"has more than {MAX_FILES} files: unpack it, and give the folder"

WORKBOOK = frozenset({"[Content_Types].xml", "mimetype"})
"""Members of a ZIP file that is a workbook."""


@dataclass(frozen=True)
class SourceFile:
    path: Path
    member: str | None = None
    """The name in the ZIP file that `path` is."""

    @property
    def name(self) -> str:
        return printable(Path(self.member or self.path).name)

    def __str__(self) -> str:
        return printable(str(self.path) if self.member is None else f"{self.path}:{self.member}")

    @contextmanager
    def open(self, advance: Advance = lambda _: None) -> Iterator[BinaryIO]:
        """The bytes, unpacked. Raises UnreadableText, also while they are read."""
        try:
            with ExitStack() as stack:
                file: BinaryIO = stack.enter_context(io.BufferedReader(_MeteredFile(self.path, advance), BUFFER))
                if self.member is not None:
                    # Not more than the size that `source_files` has checked is unpacked of a member.
                    file = io.BufferedReader(stack.enter_context(ZipFile(file).open(self.member)), BUFFER)  # type: ignore[type-var]
                if self.name.endswith(".gz") or file.peek(2)[:2] == b"\x1f\x8b":  # type: ignore[attr-defined]
                    file = stack.enter_context(io.BufferedReader(_BoundedGzip(file), BUFFER))
                yield file
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise UnreadableText(0, f"is not a whole gzip file: {AGAIN}") from error
        except BadZipFile as error:
            raise UnreadableText(0, NO_ZIP) from error
        except OSError as error:
            raise UnreadableText(0, f"cannot be read: {error.strerror or error}") from error

    @contextmanager
    def open_text(self, advance: Advance = lambda _: None) -> Iterator[TextIO]:
        """The text. Raises UnreadableText, also for a file that is no text."""
        encoding, _ = self.encoding
        with self.open(advance) as file:
            yield opened_text(file, encoding)

    @cached_property
    def encoding(self) -> tuple[str, str]:
        """The encoding, and a word that shows it if it is not UTF-8. Raises UnreadableText for what is no text."""
        if not self.path.is_file():
            return "utf_8", ""
        decoder, is_ascii = codecs.getincrementaldecoder("utf_8")(), True
        with self.open() as file:
            block = file.read(BUFFER)
            for start, reason in OTHER_KINDS.items():
                if block.lstrip().lower().startswith(start.lower()):
                    raise UnreadableText(0, reason)
            while block:
                try:
                    text = decoder.decode(block)
                except UnicodeDecodeError as error:
                    # A text with other characters in UTF-8 is damaged here.
                    return _guessed(block) if is_ascii and block[: error.start].isascii() else ("utf_8", "")
                if "\0" in text:
                    return _guessed(block)
                is_ascii = is_ascii and text.isascii()
                block = file.read(BUFFER)
        return "utf_8", ""

    def note(self) -> str | None:
        """What the text was read as, if it is not UTF-8. Known after it was read."""
        encoding, word = self.encoding
        return f"{self} was read as {ENCODINGS[encoding]}{word and f': {word}'}" if encoding in ENCODINGS else None


def source_files(path: Path, *, is_read_once: bool = False) -> Sequence[SourceFile]:
    """The file, or those in the ZIP file. Raises OperatorError, also for a pipe or device that is read twice."""
    if not path.exists():
        raise OperatorError(f"There is no file {path}.")
    if not (path.is_file() or is_read_once):
        # Each reading of a pipe would have other lines, and most of them none.
        raise OperatorError(f"{path} is no file but a pipe, a device or a folder: save the report as a file.")
    # A pipe can be read once only.
    if not (path.is_file() and is_zipfile(path)):
        if path.suffix == ".zip":
            raise OperatorError(f"{path} {NO_ZIP}.")
        return [SourceFile(path)]
    return [SourceFile(path, name) for name in _members(path)]


def _members(path: Path) -> Sequence[str]:
    """The names of the files in a ZIP file. Raises OperatorError, before a byte is unpacked."""
    with path.open("rb") as file:
        # The one place that knows the end of a ZIP file of any version.
        end = zipfile._EndRecData(file)  # type: ignore[attr-defined] # noqa: SLF001
    if end[zipfile._ECD_SIZE] > MAX_DIRECTORY:  # type: ignore[attr-defined] # noqa: SLF001
        raise OperatorError(f"{path} {TOO_MANY}.")
    try:
        with ZipFile(path) as archive:
            members = [each for each in archive.infolist() if not each.is_dir() and "__MACOSX" not in each.filename]
    except (BadZipFile, NotImplementedError, ValueError) as error:
        raise OperatorError(f"{path} {NO_ZIP}.") from error
    names = [each.filename for each in members]
    if WORKBOOK & set(names):
        raise OperatorError(f"{path} is an Excel or OpenDocument workbook: {AS_CSV}.")
    if not names:
        raise OperatorError(f"{path} has no files: {AGAIN}.")
    if len(names) > MAX_FILES:
        raise OperatorError(f"{path} {TOO_MANY}.")
    for each in members:
        member = SourceFile(path, each.filename)
        if each.flag_bits & IS_ENCRYPTED:
            raise OperatorError(f"{member} has a password: unpack it.")
        if each.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise OperatorError(f"{member} is compressed by another method than deflate: unpack it.")
    if sum(each.file_size for each in members) > max(MIN_BOUND, MAX_RATIO * path.stat().st_size):
        raise OperatorError(f"{path} {BOMB}.")
    return names


def _guessed(block: bytes) -> tuple[str, str]:
    best = from_bytes(block, cp_isolation=list(ENCODINGS)).best()
    if best is None:
        return "utf_8", ""
    # Without a bound, each letter of a long word would be looked at from each letter before it.
    word = re.search(r"\w{0,40}[^\W\x00-\x7f]\w{0,40}", str(best))
    return best.encoding, word[0] if word else ""


class _MeteredFile(io.FileIO):
    def __init__(self, path: Path, advance: Advance) -> None:
        super().__init__(path)
        self._advance = advance

    def readinto(self, buffer: object, /) -> int | None:
        count = super().readinto(buffer)  # type: ignore[arg-type]
        self._advance(count or 0)
        return count


class _BoundedGzip(gzip.GzipFile):
    """Raises UnreadableText for a file that is almost nothing but repetition."""

    def __init__(self, packed: BinaryIO) -> None:
        super().__init__(fileobj=packed)
        self._packed = packed

    def readinto(self, buffer: object, /) -> int:
        count = super().readinto(buffer)  # type: ignore[arg-type]
        if self.tell() > max(MIN_BOUND, MAX_RATIO * self._packed.tell()):
            raise UnreadableText(0, BOMB)
        return count
