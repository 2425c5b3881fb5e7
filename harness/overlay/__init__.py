"""Files that an arm changes on the target's host: what is to be changed, changing it, and the undo that is checked."""
