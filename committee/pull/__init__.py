"""Before asking, look: what the server really compiles and which flags its engine has, fetched into the proposal."""
