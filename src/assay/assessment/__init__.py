"""Assessment: how good an answer is as a whole, by rubrics whose criteria are chosen per call."""
