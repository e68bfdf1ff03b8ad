"""Models that sit on a stream: each row is predicted when it comes, and learned if it can be."""

from shrubs.live.lock import only_one
from shrubs.live.model import Model

__all__ = ["Model", "only_one"]
