"""Tell when the water is high or low next."""

__version__ = "0.3.0"
