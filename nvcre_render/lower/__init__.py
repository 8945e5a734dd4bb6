"""A WorkloadRun and its facts to a Workflow."""
