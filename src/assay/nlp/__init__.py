"""Reading of text: its blocks, and its prose without markup."""
