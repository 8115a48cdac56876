"""Files that are joined keep their names to themselves, and the one module that comes of them runs."""

import pytest
from polyak_widgets.front import bundle as joining

pytestmark = pytest.mark.browser

FILES = {
    "ground/low.js": "const NAME = 1;\n"
    "export function twice() {\n  return 2 * NAME;\n}\nexport class Low {}\n",
    "page/other.js": 'import { twice } from "../ground/low.js";\n'
    "export const NAME = twice() + 1;\nexport async function read() {\n  return NAME;\n}\n"
    "export default { read };\n",
    "page/entry.js": 'import { Low, twice } from "../ground/low.js";\nimport { read } from "./other.js";\n'
    "const NAME = 10;\nexport default { read, value: () => [NAME, twice(), new Low() instanceof Low] };\n",
}
"""Each has a name of its own that the others have too."""
RUN = """async text => {
    const address = URL.createObjectURL(new Blob([text], {type: "text/javascript"}));
    const { default: made } = await import(address);
    return [...made.value(), await made.read()]; }"""


def test_files_may_use_the_same_names(page, monkeypatch):
    monkeypatch.setattr(joining, "read", FILES.get)
    text = joining.bundle.__wrapped__("page/entry.js")
    assert page.evaluate(RUN, text) == [10, 2, True, 3]
