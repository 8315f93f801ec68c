"""The top passage that LangChain and LlamaIndex retrieve for each question; started by quality.py.

    PYTHONPATH=src:models/src .make/peers/bin/python benchmarks/peers/retrieval_peers.py JOB.json OUT.json

JOB has the documents of each collection and the questions; OUT gets, of each peer, what each question is shown and
how near it is. Both use the embedding model that assay bundles, and their own splitters.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import assay_models
from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.node_parser import SentenceSplitter
from pydantic import PrivateAttr

from assay.models.embed_local import LocalEmbedder

# Characters of a piece and those shared with the next in LangChain's tutorials on retrieval.
TUTORIAL = (1000, 200)
Texts = Sequence[str]
Search = Callable[[str], tuple[str, float]]


class LangChainEmbeddings(Embeddings):
    """assay's embedder as LangChain wants one."""

    def __init__(self, embedder: LocalEmbedder) -> None:
        self.embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """A vector for each text."""
        return self.embedder.embed_now(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self.embedder.embed_now([self.embedder.model.as_question(text)])[0].tolist()


class LlamaIndexEmbedding(BaseEmbedding):
    """assay's embedder as LlamaIndex wants one."""

    _embedder: LocalEmbedder = PrivateAttr()

    def __init__(self, embedder: LocalEmbedder) -> None:
        super().__init__(model_name=embedder.model.id, embed_batch_size=256)
        self._embedder = embedder

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._embedder.embed_now(texts).tolist()

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._embedder.embed_now([self._embedder.model.as_question(query)])[0].tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def langchain(texts: Texts, embedder: LocalEmbedder, splitter: RecursiveCharacterTextSplitter) -> Search:
    """A search of LangChain's store in memory."""
    store = InMemoryVectorStore(LangChainEmbeddings(embedder))
    store.add_documents(splitter.split_documents([LangChainDocument(text) for text in texts]))

    def search(question: str) -> tuple[str, float]:
        ((document, score),) = store.similarity_search_with_score(question, k=1)
        return document.page_content, float(score)

    return search


def llama_index(texts: Texts, embedder: LocalEmbedder) -> Search:
    """A search of LlamaIndex's vector index, with its splitter as it is by default."""
    index = VectorStoreIndex.from_documents(
        [Document(text=text) for text in texts],
        transformations=[SentenceSplitter()],
        embed_model=LlamaIndexEmbedding(embedder),
    )
    retriever = index.as_retriever(similarity_top_k=1)

    def search(question: str) -> tuple[str, float]:
        (found,) = retriever.retrieve(question)
        return found.node.get_content(), float(found.score or 0.0)

    return search


def peers(embedder: LocalEmbedder) -> Iterator[tuple[str, Callable[[Texts], Search]]]:
    """The peers by name, and how each makes a search of texts."""
    yield "LangChain, default splitter", lambda texts: langchain(texts, embedder, RecursiveCharacterTextSplitter())
    size, shared = TUTORIAL
    splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=shared)
    yield "LangChain, tutorial's splitter", lambda texts: langchain(texts, embedder, splitter)
    yield "LlamaIndex, default splitter", lambda texts: llama_index(texts, embedder)


def main() -> None:
    """Search for every question and write what was found."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    embedder = LocalEmbedder.load(assay_models.folder())
    shown: dict[str, dict[str, Any]] = {}
    for name, make in peers(embedder):
        shown[name] = {}
        for collection, texts in job["collections"].items():
            search = make(texts)
            for asked in job["questions"]:
                if asked["collection"] != collection:
                    continue
                began = time.process_time()
                text, score = search(asked["text"])
                spent = 1000 * (time.process_time() - began)
                shown[name][asked["id"]] = {"text": text, "score": score, "cpu_ms": spent}
    packages = ("langchain-core", "langchain-text-splitters", "llama-index-core")
    versions = {name: importlib.metadata.version(name) for name in packages}
    Path(sys.argv[2]).write_text(json.dumps({"versions": versions, "shown": shown}), encoding="utf-8")


if __name__ == "__main__":
    main()
