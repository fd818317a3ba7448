"""What an assessment gives notifications to pick up: each cause once, by a key that names it. Pure."""
