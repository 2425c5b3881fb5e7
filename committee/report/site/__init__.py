"""The report as a small static site: pages that need no script, written only where what they are made of changed."""

from committee.report.site.write import SiteError, Written, write_site

__all__ = ["SiteError", "Written", "write_site"]
