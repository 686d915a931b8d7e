"""The built-in rules: a folder a family, a module a rule."""
