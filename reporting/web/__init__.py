"""The pages for people: the truck, the desk, the owner, the public. Made by the server; forms work without script."""
