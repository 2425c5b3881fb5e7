"""The report: one self-contained page, and one table for the terminal, made from the ledger and from nothing else."""

from committee.report.outlook import Outlook
from committee.report.page import build
from committee.report.table import MeasuredTable, measured_table

__all__ = ["MeasuredTable", "Outlook", "build", "measured_table"]
