"""What approvers see: what waits, one hold, the word about it, undo, several at once, who looks, who stands in."""
