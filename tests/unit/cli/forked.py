"""The command line in processes of its own, forked from one that has imported everything.

They begin as people's do, with the arguments and pipes, but without a second of imports.
"""

import contextlib
import multiprocessing
import os
import signal
import sys

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["shrubs.cli.app", "shrubs.serve.server", "tests.unit.cli.forked"])


def _run(arguments, ends):
    for descriptor, end in enumerate(ends):
        os.dup2(end.fileno(), descriptor)
        end.close()
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w", 1)
    sys.argv = ["shrubs", *arguments]
    from shrubs.cli import main

    try:
        main()
    finally:
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()


class Forked:
    """As much of `subprocess.Popen` as tests need; texts go in and come out."""

    def __init__(self, *arguments):
        pipes = [_context.Pipe(duplex=False) for _ in range(3)]
        ends = [pipes[0][0], pipes[1][1], pipes[2][1]]
        self._process = _context.Process(target=_run, args=(list(map(str, arguments)), ends))
        self._process.start()
        for end in ends:
            end.close()
        ours = [os.dup(end.fileno()) for end in (pipes[0][1], pipes[1][0], pipes[2][0])]
        for end in (pipes[0][1], pipes[1][0], pipes[2][0]):
            end.close()
        self.stdin = os.fdopen(ours[0], "w")
        self.stdout, self.stderr = map(os.fdopen, ours[1:])
        self.pid = self._process.pid

    @property
    def returncode(self):
        return self._process.exitcode

    def poll(self):
        return self._process.exitcode

    def wait(self, timeout=300):
        self._process.join(timeout)
        assert self._process.exitcode is not None, "it did not end"
        return self._process.exitcode

    def send_signal(self, number):
        with contextlib.suppress(ProcessLookupError):
            if self._process.is_alive():
                os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)

    def communicate(self):
        """What it still says, and its end."""
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        with self.stdout, self.stderr:
            said = self.stdout.read(), self.stderr.read()
        self.wait()
        return said
