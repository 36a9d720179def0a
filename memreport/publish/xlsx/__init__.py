"""Reports as formula-live workbooks."""
