"""Exercise: packed documents."""

import torch

from attention_practice._exercise import Case, Exercise, planted


def my_document_mask(documents):
    return (documents[:, None] == documents).tril()


EXERCISE = Exercise(
    title="Packed documents",
    task=(
        "A boolean mask (n, n) for documents packed one after the other: True at the query's own "
        "word and at earlier words of the same document. documents is (n,)."
    ),
    page="steps/chosen-pairs/",
    differentiable=False,
    cases=(
        Case("documents 0 0 0 1 1 2", (torch.tensor([0, 0, 0, 1, 1, 2]),)),
        Case("documents 3 3 1 1", (torch.tensor([3, 3, 1, 1]),)),
    ),
    mistakes=planted("""
        True hides `(documents[:` -> `~(documents[:`
        other triangle `.tril` -> `.triu`
        own key hidden `.tril()` -> `.tril(-1)`
        float `return (documents` -> `return ((documents`, `.tril()` -> `.tril()).float()`
        Read: steps/chosen-pairs/#sentences-are-packed-without-a-rule
        causal alone `(documents[:, None] == documents)` -> `torch.ones(len(documents),
            len(documents), dtype=torch.bool)`: Words attend to earlier documents: the documents are
            not compared.
        Read: steps/causal-masks/#the-formula
        documents alone `.tril()` -> ``: Words attend to later words of their document: the causal
            rule is missing.
        Read: steps/chosen-pairs/#and-in-a-rule
        or `.tril()` -> ` | torch.ones(len(documents), len(documents)).tril().bool()`: A key is
            allowed if either rule allows it. Both must: `&`.
        Read: steps/chosen-pairs/#a-mask-is-a-function-of-two-places
        earlier documents `==` -> `>=`: Words attend to documents with a smaller number. The two
            numbers must be equal.
        other documents `==` -> `!=`: Words attend to the other documents, and not to their own:
            `==`.
    """),
    hints=(
        "Two rules, each a table (n, n) by broadcasting; `&` joins them.",
        "`documents[:, None] == documents` compares all pairs.",
    ),
    solution=my_document_mask,
    lines="""
        same = documents[:, None] == documents
        same = documents[:, None] >= documents

        return same.tril()
        return same | torch.ones_like(same).tril()
        return ~same.tril()
        return same
    """,
)
