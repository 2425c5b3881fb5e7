"""The front office: from a proposal to reviewers, a brief, measured arms and a person's acceptance."""
