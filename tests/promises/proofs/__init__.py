"""One module a promise, `pNN.py`, with its `PROOF`; `tests.promises.prove` and the smoke tests find them by name."""
