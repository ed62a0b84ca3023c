"""Write the page of the public API to the repository: python -m tools.site.reference."""

from tools.site.reference import api
from tools.site.repository import DOCS, ROOT

(ROOT / DOCS / api.PATH).write_text(api.page(), encoding="utf-8")
