"""Labelled stand-ins that ship with the product: real processes that behave like servers, well or badly."""
