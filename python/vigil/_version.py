"""The version, in a module of its own so that the wheel can be built without importing the package."""

__version__ = "0.1.0"
