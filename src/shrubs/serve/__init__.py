"""A model behind HTTP: it predicts, learns, remembers and explains, and loses no label.

`shrubs serve MODEL` starts it (docs/service.md). It needs the extra ``serve``.
"""
