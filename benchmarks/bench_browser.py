"""The core in Node against the core in Python, and what a frame of the playground costs.

``make playground`` comes first. CPU times, so that other work on the machine matters little; only
frames per second go by the clock, and the load says how busy the machine was.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np
from playwright.sync_api import CDPSession, Page, sync_playwright

from shrubs import _core

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "build/playground/playground.html"
N, ROUNDS, SECONDS = 20000, 5, 6
MIN_RATIO = 0.3
FRAME = 1000 / 60
SCRIPT = """
import { compile, Learner } from './shrubs.js';
const core = await compile();
const begin = () => Learner.begin(core, { nFeatures: 2, nClasses: 3, memoryLimit: 65536 });
const learn = learner => {
  for (let i = 0; i < %(n)d; ++i) {
    const x = [(i * 0.618034) %% 1, (i * 0.754878) %% 1];
    learner.learn(x, (x[0] > 0.5 ? 1 : 0) + (x[1] > 0.5 ? 1 : 0));
  }
};
learn(begin());  // until it is compiled well
const learner = begin();
const state = Buffer.from(learner.save()).toString('base64');
const before = process.cpuUsage();
learn(learner);
const used = process.cpuUsage(before);
console.log(JSON.stringify({ state, seconds: (used.user + used.system) / 1e6 }));
"""


def node() -> tuple[float, bytes]:
    """CPU seconds for all examples, and a learner before the first."""
    command = ["node", "--input-type=module", "-e", SCRIPT % {"n": N}]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "js", check=True)
    found = json.loads(done.stdout)
    return found["seconds"], base64.b64decode(found["state"])


def python(state: bytes) -> float:
    """The same learner and examples in one block."""
    i = np.arange(N)
    X = np.stack([(i * 0.618034) % 1, (i * 0.754878) % 1], axis=1).astype(np.float32)
    y = (X > 0.5).sum(axis=1).astype(np.int64)
    learner = _core.load_state(state)
    start = time.process_time()
    learner.learn_many(X, y)
    return time.process_time() - start


def task_seconds(session: CDPSession) -> float:
    """CPU time that the main thread of the page has taken."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(each["value"] for each in metrics if each["name"] == "TaskDuration")


def frames(page: Page, speed: int, said: str) -> float:
    """Print what a frame costs; returns milliseconds of the main thread."""
    page.goto("about:blank")
    page.goto(f"{PAGE.as_uri()}#drift=still&speed={speed}")
    page.wait_for_selector("body.ready")
    page.evaluate("playground.step(2000)")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    count = "[playground.race.n, playground.rates.frames, performance.now()]"
    before, started = page.evaluate(count), task_seconds(session)
    page.wait_for_timeout(1000 * SECONDS)
    after, ended = page.evaluate(count), task_seconds(session)
    examples, n_frames, milliseconds = (b - a for a, b in zip(before, after, strict=True))
    cost = 1000 * (ended - started) / n_frames
    print(
        f"a frame {said}: {cost:.1f} ms of CPU, {examples / n_frames:.0f} examples; "
        f"{1000 * n_frames / milliseconds:.0f} frames a second, load {os.getloadavg()[0]:.0f}"
    )
    return cost


def main() -> int:
    """Print both; 1 if a target is missed."""
    ratios = []
    for _ in range(ROUNDS):
        seconds, state = node()
        ratios.append(python(state) / seconds)
    print(f"Node learns {N / seconds:,.0f} examples per CPU second, {median(ratios):.2f} of Python")
    with sync_playwright() as play:
        options = ["--no-sandbox", "--disable-gpu"]
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        cost = frames(page, 5, "at 600 examples a second")
        frames(page, 9, "at full speed")
        browser.close()
    return int(median(ratios) < MIN_RATIO or cost > FRAME)


if __name__ == "__main__":
    sys.exit(main())
