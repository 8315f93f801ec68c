"""What every prompt shares and no stage owns: fences around data, evidence within a budget, the dialogue. Pure."""
