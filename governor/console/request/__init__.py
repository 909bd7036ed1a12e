"""What requesters see: a new refund, their own, their allowance, and the page of one refund that everything links to."""
