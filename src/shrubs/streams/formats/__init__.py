"""File formats, one per file; `shrubs.streams.files` lists them."""
