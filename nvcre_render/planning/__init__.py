"""Which nodes form which groups, and the Jobs, TrainJobs and dependencies that come of them."""
