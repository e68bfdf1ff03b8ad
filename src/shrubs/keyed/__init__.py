"""A model per key: learners by key, hot ones in memory, the rest as byte states in a store."""

from shrubs.keyed.dict_store import DictStore
from shrubs.keyed.keyed_learners import KeyedLearners
from shrubs.keyed.keys import Key
from shrubs.keyed.redis_store import RedisStore
from shrubs.keyed.sqlite_store import SQLiteStore
from shrubs.keyed.store import Store, StoreError

__all__ = ["DictStore", "Key", "KeyedLearners", "RedisStore", "SQLiteStore", "Store", "StoreError"]
