"""What auditors read: the trail, why a refund was decided as it was, reports."""
