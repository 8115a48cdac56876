"""Pages are written by templates that are compiled once, for all visitors."""

from types import CodeType
from typing import Any

import voila.notebook_renderer
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from voila.exporter import VoilaExporter


class InMemory(BytecodeCache):
    """The compiled templates of this process, by their names and what they say."""

    def __init__(self) -> None:
        self.codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template that has been compiled before."""
        bucket.code = self.codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep one that has just been compiled."""
        self.codes[bucket.key, bucket.checksum] = bucket.code


COMPILED = InMemory()


class PageWriter(VoilaExporter):  # type: ignore[misc]  # Voila carries no types
    """Voila's own writer, which would compile forty templates for each visitor, while all others wait."""

    def _create_environment(self) -> Any:
        environment = super()._create_environment()
        environment.bytecode_cache = COMPILED
        return environment


def compile_once() -> None:
    """Have Voila use it, which has no setting for this."""
    voila.notebook_renderer.VoilaExporter = PageWriter
