import os
import stat

import pytest

from shrubs.atomic_file import write_atomically


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_a_new_file_follows_the_umask(tmp_path):
    write_atomically(tmp_path / "file", b"new")
    assert mode(tmp_path / "file") == 0o640


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("kept", [0o644, 0o600, 0o664])
def test_a_file_keeps_its_mode(tmp_path, kept):
    file = tmp_path / "file"
    file.write_bytes(b"old")
    file.chmod(kept)
    write_atomically(file, b"new")
    assert (mode(file), file.read_bytes()) == (kept, b"new")


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link, chain = tmp_path / "folder/file", tmp_path / "link", tmp_path / "chain"
    link.symlink_to("folder/file")
    chain.symlink_to("link")
    for content in (b"made through the link", b"replaced through the link"):
        write_atomically(chain, content)
        assert (chain.readlink().name, link.readlink().name) == ("link", "file")
        assert not target.is_symlink()
        assert target.read_bytes() == content
    assert sorted(tmp_path.rglob("*")) == [chain, target.parent, target, link]


@pytest.mark.parametrize("link", [False, True])
def test_a_directory_that_is_not_there_is_named(tmp_path, link):
    path = tmp_path / "nowhere/file"
    if link:
        (tmp_path / "link").symlink_to(path)
    with pytest.raises(FileNotFoundError, match=r"there is no such directory: '.*nowhere'"):
        write_atomically(tmp_path / "link" if link else path, b"")


def test_what_is_no_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "pipe", tmp_path / "folder", tmp_path):
        with pytest.raises(OSError, match=f"this is not a regular file: '{path}'"):
            write_atomically(path, b"")


def test_the_longest_name_can_be_written(tmp_path):
    file = tmp_path / ("n" * 255)
    write_atomically(file, b"new")
    assert file.read_bytes() == b"new"
