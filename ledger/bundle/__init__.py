"""What goes along with an exported entry, so that it can be checked where nothing of ours is installed."""
