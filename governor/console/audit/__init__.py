"""What auditors read: the trail, why a refund was decided as it was, the limits as they stood on a day, reports."""
