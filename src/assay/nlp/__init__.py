"""What many stages share about text and no stage owns: pure functions over strings."""
