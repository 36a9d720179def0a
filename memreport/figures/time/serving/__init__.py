"""The time of a served token, a prompt and a request, operator by operator."""
