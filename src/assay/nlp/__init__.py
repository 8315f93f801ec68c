"""Pure functions over text that many stages share."""
