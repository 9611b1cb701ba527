"""Run the lessons top to bottom and keep their outputs:  python tools/run_notebooks.py [file …]

What is committed is one clean run with the offline model, without times, widths of this screen
or versions, so that two runs of an unchanged lesson are the same file.
"""

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

LESSONS = Path(__file__).resolve().parent.parent / "notebooks"


def run(notebook: nbformat.NotebookNode, folder: Path) -> nbformat.NotebookNode:
    """Execute every cell in the folder; CellExecutionError at the first that fails."""
    with tempfile.TemporaryDirectory() as private:
        config = Config()
        if os.name != "nt":
            # A kernel of its own behind a file: ports of several kernels can cross.
            config.KernelManager.transport = "ipc"
            config.KernelManager.ip = os.path.join(private, "k")
        client = NotebookClient(
            notebook, timeout=300, config=config, resources={"metadata": {"path": folder}}
        )
        return client.execute()


def normalised(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    for cell in notebook.cells:
        cell.metadata = {}
    notebook.metadata = {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    return notebook


def main(paths: list[str]) -> None:
    os.environ["MEMORA_PROVIDER"] = "offline"
    for path in map(Path, paths) if paths else sorted(LESSONS.glob("*/*.ipynb")):
        notebook = run(nbformat.read(path, as_version=4), path.parent)
        nbformat.write(normalised(notebook), path)
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
