"""The service over an empty SQLite database, for what needs no data."""

from pathlib import Path

from reporting.api.app import create_app
from reporting.config import Config
from reporting.store.engine import Database
from reporting.store.migrate import upgrade
from reporting.store.signing import Signer
from tests.reporting.api.world import Clock, World


def offline_world(folder: Path) -> World:
    url = f"sqlite:///{folder / 'empty.sqlite'}"
    upgrade(url)
    config = Config.from_environment(
        {"DATABASE_URL": url, "PUMPER_SIGNING_KEY_FILE": str(folder / "signing.key"), "LOG_LEVEL": "ERROR"}
    )
    database, clock, signer = Database.connect(url), Clock(), Signer.load(config.signing_key_file)
    app = create_app(config, database, signer, clock)
    return World(app=app, database=database, clock=clock, signer=signer, config=config, keys={"": ""})
