"""What each engine's command line, log and reports mean."""
