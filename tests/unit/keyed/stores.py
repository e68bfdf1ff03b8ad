"""Stores that outlive what uses them, for tests of every kind of store."""

from shrubs.keyed import DictStore, SQLiteStore


class InDict:
    """A dict that stores are opened on."""

    def __init__(self, folder):
        self._states = {}

    def open(self):
        return DictStore(self._states)


class InSQLite:
    """A file that stores are opened on."""

    def __init__(self, folder):
        self.path = folder / "learners.db"

    def open(self):
        return SQLiteStore(self.path)


PLACES = {"dict": InDict, "sqlite": InSQLite}
