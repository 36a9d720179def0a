"""A published workbook read back: its rules, its recalculation, its changed inputs."""
