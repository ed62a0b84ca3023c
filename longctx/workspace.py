"""The project that a run belongs to. What is read is looked up in the project first, then in the data that comes with
longctx; what is written goes to the project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from longctx import pytest_file
from longctx.errors import UserError, did_you_mean


@dataclass(frozen=True, slots=True)
class Workspace:
    """A project by its root folder, which pytest calls rootdir."""

    root: Path

    @classmethod
    def around(cls, folder: Path) -> Workspace:
        """The project that a folder lies in; the folder itself where it lies in none. Raises UserError."""
        folder = folder.absolute()
        return cls(pytest_file.root_around(folder) or folder)

    @property
    def cassettes(self) -> Path:
        return self.root / "cassettes"

    @property
    def reports(self) -> Path:
        return self.root / "reports"

    def own(self, *parts: str) -> Path:
        """Where the project keeps this part of its data, whether it is there or not."""
        return self.root.joinpath("fixtures", *parts)

    def find(self, *parts: str) -> Path:
        """The project's own file or folder, or else the one that comes with longctx. The project's own where there is
        neither."""
        own, shipped = self.own(*parts), packaged().joinpath(*parts)
        return shipped if shipped.exists() and not own.exists() else own

    def toml(self, kind: str, name: str) -> Path | None:
        """The file fixtures/KIND/NAME.toml, the project's own or the one that comes with longctx; None without one."""
        path = self.find(kind, f"{name}.toml")
        return path if path.is_file() else None

    def folders(self, kind: str) -> tuple[Path, Path]:
        """Where data of a kind lies: the project's own folder, and the one that comes with longctx."""
        return self.own(kind), packaged() / kind

    def list(self, kind: str, pattern: str) -> list[Path]:
        """The files or folders of a kind, sorted by name, the project's own in place of those of longctx."""
        own, shipped = self.folders(kind)
        by_name = {path.name: path for folder in (shipped, own) for path in folder.glob(pattern)}
        return [by_name[name] for name in sorted(by_name)]

    def resolve(self, kind: str, name: str) -> Path:
        """The TOML file that a name or a path means. Raises UserError with the names there are."""
        if path := self.toml(kind, name):
            return path
        if Path(name).suffix == ".toml" and Path(name).is_file():
            return Path(name)
        names = [path.stem for path in self.list(kind, "*.toml")]
        noun = kind.removesuffix("s")
        raise UserError(
            "unknown-profile",
            f"There is no {noun} {name!r}. {did_you_mean(name, names)} Or give the path of a .toml file.",
        )

    def setting(self, name: str) -> tuple[str, ...]:
        """The words of a setting in the file that configures pytest here; none without one. Raises UserError."""
        return pytest_file.setting(self.root, name)

    def find_baseline(self, name: str) -> Path:
        """The file of a baseline's name, or the path of its file or of a run's folder. Raises UserError."""
        for path in (self.own("baselines", f"{name}.jsonl"), Path(name)):
            if path.exists():
                return path
        names = sorted(path.stem for path in self.own("baselines").glob("*.jsonl"))
        raise UserError(
            "unknown-baseline",
            f"There is no baseline {name!r}. {did_you_mean(name, names)} Or give the path of its file, or of a run's "
            "folder. To make one: python -m longctx baseline save NAME.",
        )


def packaged() -> Path:
    """The data that comes with longctx: in the package where it was installed, in fixtures/ of a checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "fixtures"
    return installed if installed.is_dir() else package.parent / "fixtures"
