"""The console as a browser without scripts sees it: requests into the application, pages out."""
