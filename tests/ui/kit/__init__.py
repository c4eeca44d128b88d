"""Tests of the painted controls: tokens, keys, names, pictures of pixels where a colour is the claim."""
