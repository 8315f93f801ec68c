REVIEWED: dict = {}
FORMED: dict = {}
