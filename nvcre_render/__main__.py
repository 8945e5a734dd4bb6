"""`python -m nvcre_render`: the same as the command `nvcre-render`."""

from nvcre_render.cli.main import process

process()
