"""From the bytes of a file to its text: UTF-8, with or without a byte order mark, with any line ends."""

from __future__ import annotations

from agenthost_skillcentral.formats.problems import FormatError

_UTF8_MARK = b"\xef\xbb\xbf"
_OTHER_MARKS = {  # the longer ones first: that of UTF-32 begins like that of UTF-16
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


def decode(data: bytes) -> str:
    """The text of a file, with LF as the only line end.

    Raises:
        FormatError: it is not UTF-8; says what it is, as far as that shows.
    """
    data = data.removeprefix(_UTF8_MARK)
    for mark, name in _OTHER_MARKS.items():
        if data.startswith(mark):
            raise FormatError(f"is written in {name}; save it as UTF-8")
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise FormatError("holds a NUL byte; if it is written in UTF-16, save it as UTF-8", line)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FormatError(f"is not UTF-8: byte {data[error.start]:#04x}; save it as UTF-8", line) from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
