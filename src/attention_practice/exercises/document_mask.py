"""Exercise: packed documents."""

import torch
from torch import Tensor

from attention_practice._exercise import SUITE, Case, Exercise, MistakeNames, known, those_of
from attention_practice.exercises.causal_mask import EXERCISE as CAUSAL_MASK


def attempt(mistakes: MistakeNames, documents: Tensor) -> Tensor:
    same = documents[:, None] == documents
    same = documents[:, None] != documents if "other documents" in mistakes else same
    same = documents[:, None] >= documents if "earlier documents" in mistakes else same
    causal = torch.ones_like(same).tril()
    if "documents alone" in mistakes:
        mask = same
    elif "causal alone" in mistakes:
        mask = causal
    else:
        mask = same | causal if "or" in mistakes else same & causal
    mask = same.triu() if "other triangle" in mistakes else mask
    mask = mask & causal.tril(-1) if "own key hidden" in mistakes else mask
    mask = ~mask if "True hides" in mistakes else mask
    return mask.float() if "float" in mistakes else mask


def my_document_mask(documents):
    return (documents[:, None] == documents).tril()


EXERCISE = Exercise(
    part=4,
    task=(
        "A boolean mask (n, n) for documents packed one after the other: True at the query's own "
        "word and at earlier words of the same document. documents is (n,)."
    ),
    page="steps/chosen-pairs/",
    attempt=attempt,
    differentiable=False,
    cases=(
        Case("documents 0 0 0 1 1 2", (torch.tensor([0, 0, 0, 1, 1, 2]),)),
        Case("documents 3 3 1 1", (torch.tensor([3, 3, 1, 1]),)),
    ),
    mistakes=those_of(SUITE, "True hides, other triangle, own key hidden")
    + those_of(CAUSAL_MASK.mistakes, "float")
    + known("""
        Read: steps/chosen-pairs/#sentences-are-packed-without-a-rule
        causal alone: Words attend to earlier documents: the documents are not compared.
        Read: steps/causal-masks/#the-formula
        documents alone: Words attend to later words of their document: the causal rule is missing.
        Read: steps/chosen-pairs/#and-in-a-rule
        or: A key is allowed if either rule allows it. Both must: `&`.
        Read: steps/chosen-pairs/#a-mask-is-a-function-of-two-places
        earlier documents: Words attend to documents with a smaller number. The two numbers must be
            equal.
        other documents: Words attend to the other documents, and not to their own: `==`.
    """),
    hints=(
        "Two rules, each a table (n, n) by broadcasting; `&` joins them.",
        "`documents[:, None] == documents` compares all pairs.",
    ),
    solution=my_document_mask,
)
