"""Calculations that need no server: what a measured rate, profile or step time implies. Pure; reads nothing."""
