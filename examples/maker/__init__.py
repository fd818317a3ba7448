"""The parts of make_examples.py: how the sample inventories, histories and hauler files are made up."""
