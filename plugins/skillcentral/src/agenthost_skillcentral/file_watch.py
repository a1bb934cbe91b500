"""Hears of changes in folders, from the operating system."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

QUIET_MS = 100
"""A burst of changes is over when nothing has changed for so long."""

BURST_MS = 1000
"""A burst is told after so long even if it goes on."""

LAST_SECONDS = 1.0
"""How long a thread may take to end; it looks every `QUIET_MS`."""


class FileWatch:
    """Hears of changes in a set of folders, each watched by itself and not with what is below it.

    A recursive watch follows links: one link to `/` in a cloned repository would watch the whole disk.

    Attributes:
        works: are the folders watched? If not, somebody has to look.
    """

    def __init__(self, log: logging.Logger, loop: asyncio.AbstractEventLoop) -> None:
        self.works = False
        self._log = log
        self._loop = loop
        self._gave_up = False
        self._folders: frozenset[Path] = frozenset()
        self._stale = False
        self._notifiers: list[_Notifier] = []
        self._changed: set[Path] = set()
        self._heard = asyncio.Event()

    def cover(self, paths: Iterable[Path], tops: Collection[Path]) -> bool:
        """Watch the folders of these paths from now on; in any thread, one at a time.

        Args:
            paths: files and folders; what does not exist is waited for in the nearest folder above it.
            tops: the folders above are watched too, up to one of these, since they may be moved.

        Returns:
            Whether it was other folders before, so that a change may have been missed.
        """
        if self._gave_up:
            return False
        folders = _folders(paths, tops)
        if folders == self._folders and not self._stale:
            return False
        self._stale = False
        try:
            # Documented for direct use. Its constructor returns once the folders are watched, watch() does not.
            from watchfiles._rust_notify import RustNotify

            notify = RustNotify(sorted(map(str, folders)), False, False, 0, False, True)
        except FileNotFoundError:
            self._stale = True  # one of them has just gone
        except Exception as error:  # noqa: BLE001  (whatever it is, looking is what is left)
            self._give_up(error)
        else:
            self._stop_listening()
            self._notifiers = [one for one in self._notifiers if one.is_alive()]
            self._notifiers.append(_Notifier(notify, self._hear, self._give_up))
            self._folders = folders
            self.works = True
        return True

    async def wait(self, seconds: float) -> set[Path] | None:
        """The paths that have changed, or None after so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._heard.wait()
        self._heard.clear()
        changed, self._changed = self._changed, set()
        if not self._folders.isdisjoint(changed):
            self._stale = True  # a folder itself came or went: another one may have its name by now
        return changed or None

    def close(self) -> None:
        """Watch nothing any more; waits until that is so, since a thread in native code must not see Python's end."""
        self._stop_listening()
        for notifier in self._notifiers:
            notifier.join(LAST_SECONDS)

    def _stop_listening(self) -> None:
        for notifier in self._notifiers:
            notifier.stop.set()

    def _hear(self, paths: set[Path]) -> None:
        def note() -> None:
            self._changed |= paths
            self._heard.set()

        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(note)

    def _give_up(self, error: BaseException) -> None:
        self._log.warning(
            "the skill files cannot be watched (%s), so they are looked at again and again instead", error
        )
        self._gave_up, self.works = True, False
        self._stop_listening()
        self._hear(set())


class _Notifier(threading.Thread):
    """One native watcher, and the thread that listens to it until `stop` is set."""

    def __init__(
        self, notify: RustNotify, hear: Callable[[set[Path]], None], fail: Callable[[BaseException], None]
    ) -> None:
        super().__init__(name="skillcentral listens", daemon=True)
        self.stop = threading.Event()
        self._notify = notify
        self._hear = hear
        self._fail = fail
        self.start()

    def run(self) -> None:
        """Listen."""
        try:
            while not self.stop.is_set():
                heard = self._notify.watch(BURST_MS, QUIET_MS, 0, self.stop)
                if isinstance(heard, set):
                    self._hear({Path(path) for _, path in heard})
        except Exception as error:  # noqa: BLE001  (whatever it is, looking is what is left)
            self._fail(error)
        finally:
            self._notify.close()


def _folders(paths: Iterable[Path], tops: Collection[Path]) -> frozenset[Path]:
    found: set[Path] = set()
    for path in paths:
        folder = _nearest_folder(path)
        while folder not in found:
            found.add(folder)
            above = folder.parent
            if above not in found and folder not in tops and any(folder.is_relative_to(top) for top in tops):
                folder = above
    return frozenset(found)


def _nearest_folder(path: Path) -> Path:
    """The folder itself, or the nearest one above that exists: there it would appear."""
    while not path.is_dir() and path != path.parent:
        path = path.parent
    return path
