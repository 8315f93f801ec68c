"""A Postgres database: its address, its pool of connections, its tables, and what its errors mean.

What is stored in it is said by `assay.retrieval.index`. Needs the extra `postgres`.
"""
