"""Run the lessons top to bottom and keep their outputs:  python tools/run_notebooks.py [file …]

What is committed is one clean run with the offline model and the course's own data, without
dates and versions, so that two runs of an unchanged lesson are the same file. Lessons 05 and 06
show what they measure, which is never the same: without arguments they run like the others, but
are written only if they were changed since the last commit. The README shows a figure of lesson 03.
"""

import base64
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

from memora_lab.data.labelled import COURSE

ROOT = Path(__file__).resolve().parent.parent
README_FIGURE = "three-questions"  # the id of its cell
MEASURING = ("05", "06")


def run(notebook: nbformat.NotebookNode, folder: Path) -> nbformat.NotebookNode:
    """Execute every cell in the folder; CellExecutionError at the first that fails."""
    with tempfile.TemporaryDirectory() as private:
        config = Config()
        if os.name != "nt":
            # A kernel of its own behind a file: ports of several kernels can cross.
            config.KernelManager.transport = "ipc"
            config.KernelManager.ip = os.path.join(private, "k")
        client = NotebookClient(
            notebook,
            timeout=300,
            config=config,
            coalesce_streams=True,  # a print is one output, however its pieces arrived
            resources={"metadata": {"path": folder}},
        )
        return client.execute()


def normalised(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", []):
            # A widget lives with its kernel, under a random name; its text stays.
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
    notebook.metadata = {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    return notebook


def is_as_committed(path: Path) -> bool:
    """Whether git sees no change in the file since the last commit."""
    command = ["git", "diff", "--quiet", "HEAD", "--", path.name]
    return subprocess.run(command, cwd=path.parent).returncode == 0


def keep_readme_figure(notebook: nbformat.NotebookNode, language: str) -> None:
    for cell in notebook.cells:
        if cell["id"] == README_FIGURE:
            picture = base64.b64decode(cell.outputs[-1].data["image/png"])
            (ROOT / "images" / f"search_{language}.png").write_bytes(picture)


def main(paths: list[str]) -> None:
    os.environ |= {"MEMORA_PROVIDER": "offline", "MEMORA_DATA": str(COURSE)}
    for path in map(Path, paths) if paths else sorted((ROOT / "notebooks").glob("*/*.ipynb")):
        notebook = run(nbformat.read(path, as_version=4), path.parent)
        if not paths and path.name.startswith(MEASURING) and is_as_committed(path):
            continue
        nbformat.write(normalised(notebook), path)
        keep_readme_figure(notebook, path.parent.name)
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
