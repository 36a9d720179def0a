"""What makes a job fit, and what moves its answer: data and statuses, no prose."""
