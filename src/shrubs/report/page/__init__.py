"""The frame of every page, its style and its script."""
