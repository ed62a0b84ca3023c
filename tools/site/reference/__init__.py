"""The pages of the reference, made from the code."""

from __future__ import annotations

from tools.site.reference import commands, entries, errors, files, options, statuses


def pages() -> dict[str, str]:
    """Where a page stands in the site -> its Markdown, or the text of a file to download."""
    return {
        "reference/options.md": options.page(),
        "reference/commands.md": commands.page(),
        "reference/profiles.md": entries.profiles_page(),
        "reference/model-profiles.md": entries.models_page(),
        "reference/exit-statuses.md": statuses.page(),
        "reference/errors.md": errors.page(),
        "reference/files.md": files.page(),
        **files.schemas(),
    }
