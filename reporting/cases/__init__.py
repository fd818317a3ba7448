"""The county's cases: what proposes one, its steps, its page, whether permits are withheld, its enforcement sheet."""
