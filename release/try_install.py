"""Try the package as it is installed here, with NumPy alone: what the README shows must hold."""

import doctest
import importlib.metadata
import subprocess
import sys
from pathlib import Path

import shrubs

name = f"Python {sys.version.split()[0]}, NumPy {importlib.metadata.version('numpy')}"
if Path(sys.prefix) not in Path(shrubs.__file__).parents:
    sys.exit(f"{name}: shrubs is not the installed one but {shrubs.__file__}")
if shrubs.__version__ != importlib.metadata.version("shrubs"):
    sys.exit(f"{name}: the versions of the module and of the distribution differ")

text = Path(sys.argv[1]).read_text(encoding="utf-8").replace("```", "")
session = doctest.DocTestParser().get_doctest(text, {}, "README.md", None, None)
failed, tried = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(session)
if failed or not tried:
    sys.exit(f"{name}: {failed} of {tried} lines of the README fail")

learner = shrubs.ShrubRegressor(memory_limit="20KB")
for i in range(200):
    learner.learn_one({"a": i % 7, "b": "even" if i % 2 else "odd"}, float(i % 7))
again = type(learner).from_bytes(learner.to_bytes())
if again.predict_one({"a": 3, "b": "odd"}) != learner.predict_one({"a": 3, "b": "odd"}):
    sys.exit(f"{name}: a saved learner predicts something else")

command = Path(sys.executable).with_name("shrubs")
told = subprocess.run([command], capture_output=True, text=True, check=False)
if told.returncode != 1 or "pip install 'shrubs[cli]'" not in told.stderr:
    sys.exit(f"{name}: the command does not say which extra it needs: {told.stderr}")
print(f"{name}: {tried} lines of the README, saving and the command hold")
