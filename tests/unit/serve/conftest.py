import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")
pytest.importorskip("httptools", reason="httptools is not installed")
