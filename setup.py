"""Puts the shipped workspace into a wheel. Everything else is in pyproject.toml; docs/decisions/0002 says why."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SHIPPED = ("proposals", "recordings", "targets", "committee.toml")


class BuildWithShippedWorkspace(build_py):
    """A checkout has these files at its root; an installed package needs them inside itself."""

    def run(self) -> None:
        """Build as usual, then copy the shipped workspace unless the checkout itself is what is installed."""
        super().run()
        if self.editable_mode:
            return
        data = Path(self.build_lib) / "committee" / "demo" / "data"
        shutil.rmtree(data, ignore_errors=True)
        for name in SHIPPED:
            if Path(name).is_dir():
                left_out = shutil.ignore_patterns("brief.*", "*.accepted.toml", "*.private.toml")
                shutil.copytree(name, data / name, ignore=left_out)
            else:
                data.mkdir(parents=True, exist_ok=True)
                shutil.copy2(name, data / name)


setup(cmdclass={"build_py": BuildWithShippedWorkspace})
