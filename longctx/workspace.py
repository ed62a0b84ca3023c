"""The project that a run belongs to.

Files that are read are looked up in the project first, then in the data that comes with longctx. Files are written to
the project only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from longctx import pytest_file
from longctx.errors import UserError, did_you_mean
from longctx.links import inside


@dataclass(frozen=True, slots=True)
class Workspace:
    """A project.

    Every path of the project's own is checked: the methods raise UserError for one that leads out of it.
    """

    root: Path
    """Its folder, which pytest calls rootdir."""

    @classmethod
    def around(cls, folder: Path) -> Workspace:
        """Return the project around a folder, or a project in the folder itself if there is none. Raises UserError."""
        folder = folder.absolute()
        return cls(pytest_file.root_around(folder) or folder)

    @property
    def cassettes(self) -> Path:
        return inside(self.root / "cassettes", self.root)

    def nearest_cassettes(self, folder: Path) -> Path | None:
        """Return the folder of recordings that is nearest above a folder, as of a service in a monorepo.

        None if it is the project's own. Folders of that name without recordings, such as vcrpy's, are passed over.
        """
        around = [folder, *folder.parents]
        below = around[: around.index(self.root)] if self.root in around else []
        found = (each / "cassettes" for each in below)
        return next((inside(path, self.root) for path in found if any(path.glob("*/*/*.jsonl"))), None)

    @property
    def reports(self) -> Path:
        return inside(self.root / "reports", self.root)

    def own(self, *parts: str) -> Path:
        """Return the path of the project's own file or folder, whether it exists or not."""
        return inside(self.root.joinpath("fixtures", *parts), self.root)

    def find(self, *parts: str) -> Path:
        """Return the project's own file or folder, or the one that comes with longctx; the former if neither exists."""
        own, shipped = self.own(*parts), packaged().joinpath(*parts)
        return shipped if shipped.exists() and not own.exists() else own

    def folders(self, kind: str) -> tuple[Path, Path]:
        """Return the project's own folder of a kind of data, and the one that comes with longctx."""
        return self.own(kind), packaged() / kind

    def list(self, kind: str, pattern: str) -> list[Path]:
        """Return the files or folders of a kind, sorted by name; the project's own replace those of longctx."""
        own, shipped = self.folders(kind)
        by_name = {path.name: path for path in shipped.glob(pattern)}
        by_name |= {path.name: inside(path, self.root) for path in own.glob(pattern)}
        return [by_name[name] for name in sorted(by_name)]

    def find_profile(self, name: str) -> Path:
        """Return the file of a profile, by its name or its path. Raises UserError, which lists the known names."""
        if not Path(name).is_absolute() and (path := self.find("profiles", f"{name}.toml")).is_file():
            return path
        if Path(name).suffix == ".toml" and Path(name).is_file():
            return Path(name)
        names = [path.stem for path in self.list("profiles", "*.toml")]
        raise UserError(
            "unknown-profile",
            f"There is no profile {name!r}. {did_you_mean(name, names)} Or use the path of a .toml file.",
        )

    def setting(self, name: str) -> tuple[str, ...]:
        """Return the words of a setting in the project's configuration of pytest. Raises UserError."""
        return pytest_file.setting(self.root, name)

    def find_baseline(self, name: str) -> Path:
        """Return the path of a baseline, given by its name, its file or the folder of a run. Raises UserError."""
        if not Path(name).is_absolute() and (path := self.own("baselines", f"{name}.jsonl")).exists():
            return path
        if Path(name).exists():
            return Path(name)
        names = [path.stem for path in self.baselines()]
        raise UserError(
            "unknown-baseline",
            f"There is no baseline {name!r}. {did_you_mean(name, names)} Or use the path of its file, or of a run's "
            "folder. To make one: python -m longctx baseline save NAME.",
        )

    def baselines(self) -> Sequence[Path]:
        """Return the files of all baselines of the project, sorted by name."""
        return [inside(path, self.root) for path in sorted(self.own("baselines").glob("*.jsonl"))]


def packaged() -> Path:
    """Return the folder of the data that comes with longctx: in the installed package, or fixtures/ of a checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "fixtures"
    return installed if installed.is_dir() else package.parent / "fixtures"
