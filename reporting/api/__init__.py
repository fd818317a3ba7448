"""The HTTP edge: parse, one call, format. Endpoints stand in modules by theme, who may in `policy`, the document in
`openapi`."""
