"""Jobs as other programs state them: their configurations, scripts and command lines."""
