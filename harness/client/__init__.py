"""The streaming client and the record of one request."""
