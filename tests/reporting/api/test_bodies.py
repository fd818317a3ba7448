"""Bodies that break off on the way, or are not framed as their headers say: the sender's mistake and not ours."""

import errno
import io

import pytest

from tests.reporting.api.world import HOME, World


class Broken(io.RawIOBase):
    """What a server hands to the application when reading from the socket fails."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error, self.at = error, 0

    def tell(self) -> int:
        return self.at

    def seek(self, offset: int, whence: int = 0) -> int:
        self.at = 100 if whence == io.SEEK_END else offset
        return self.at

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        raise self.error


class NotAChunk(Exception):
    """As servers have them: no kin of OSError."""


@pytest.mark.parametrize("error", [NotAChunk(), OSError(), ConnectionResetError(errno.ECONNRESET, "reset")])
@pytest.mark.parametrize("kind", ["text/csv", "application/json", "multipart/form-data; boundary=x"])
def test_a_body_that_breaks_off_is_refused(world_on_sqlite: World, error: Exception, kind: str) -> None:
    answer = world_on_sqlite.call(
        "POST", f"/v1/{HOME}/submissions", input_stream=Broken(error), content_type=kind,
    )  # fmt: skip
    assert (answer.status_code, answer.json["type"]) == (400, "urn:pumper:problem:body-unreadable")
    assert "send the whole call again" in answer.json["detail"]
