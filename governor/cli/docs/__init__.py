"""`governor docs`: the parts of the documentation that the code's own tables say better than any author."""
