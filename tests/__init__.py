"""The tests of nvcre_render."""
