"""The pages of the reference, generated from the code."""

from __future__ import annotations

from tools.site.reference import api, commands, entries, errors, files, hooks, options, statuses


def pages() -> dict[str, str]:
    """Return the Markdown of each page, and the text of each file to download, by their paths in the site."""
    return {
        api.PATH: api.page(),
        "reference/options.md": options.page(),
        "reference/commands.md": commands.page(),
        "reference/profiles.md": entries.profiles_page(),
        "reference/model-profiles.md": entries.models_page(),
        "reference/exit-statuses.md": statuses.page(),
        "reference/errors.md": errors.page(),
        "reference/hooks.md": hooks.page(),
        "reference/files.md": files.page(),
        **files.schemas(),
    }
