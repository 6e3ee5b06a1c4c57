"""Pages that people can look at: one file each, from disk, without a network."""

from .run_page import write_run_report

__all__ = ["write_run_report"]
