"""Looking back: what calls cost and how predictions came out. Reads what is recorded; nothing here enters a ranking."""
