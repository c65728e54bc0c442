"""The search: what a reader would type, and the page that should come up."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import sources

# Words, and the page or the section that must be seen among the first three results.
QUERIES = {
    "tokens": "steps/01-tokens-become-vectors/",
    "vocabulary": "steps/01-tokens-become-vectors/",
    "embedding": "steps/01-tokens-become-vectors/",
    "scores": "steps/02-scores/",
    "dot product": "steps/02-scores/",
    "cosine": "steps/02-scores/",
    "softmax": "steps/03-weights/",
    "weights": "steps/03-weights/",
    "softmax twice": "steps/03-weights/",
    "context vectors": "steps/04-context-vectors/",
    "weighted sum": "steps/04-context-vectors/",
    "query key value": "steps/05-queries-keys-and-values/",
    "why divide by sqrt": "steps/06-why-divide-by-the-square-root/",
    "scaling": "steps/06-why-divide-by-the-square-root/",
    "d_k": "steps/06-why-divide-by-the-square-root/",
    "variance": "steps/06-why-divide-by-the-square-root/",
    "temperature": "steps/06-why-divide-by-the-square-root/",
    "self-attention": "steps/07-self-attention-as-a-layer/",
    "training": "steps/07-self-attention-as-a-layer/",
    "causal mask": "steps/08-causal-masks/",
    "look ahead": "steps/08-causal-masks/",
    "padding mask": "steps/09-padding-masks/",
    "dropout": "steps/dropout/",
    "fully masked row": "steps/09-padding-masks/",
    "multi-head": "steps/10-multi-head-attention/",
    "heads": "steps/10-multi-head-attention/",
    "cross-attention": "steps/11-cross-attention/",
    "encoder decoder": "steps/11-cross-attention/",
    "bahdanau": "steps/11-cross-attention/",
    "position": "steps/12-where-is-position/",
    "positional encoding": "steps/12-where-is-position/",
    "RoPE": "steps/position-by-rotation/",
    "rotary": "steps/position-by-rotation/",
    "ALiBi": "steps/position-by-rotation/",
    "NaN": "guides/what-goes-wrong/",
    "loss does not change": "guides/what-goes-wrong/",
    "register_buffer": "guides/what-goes-wrong/",
    "ignore_index": "guides/what-goes-wrong/",
    "other results in eval": "guides/what-goes-wrong/",
    "mps": "guides/comparing-results/",
    "TransformerEncoderLayer": "guides/mask-conventions/",
    "xformers": "guides/mask-conventions/",
    "FlashAttention": "guides/questions-about-speed/",
    "d2l": "guides/questions-about-speed/",
    "key_padding_mask": "guides/mask-conventions/",
    "is_causal": "guides/mask-conventions/",
    "scaled_dot_product_attention": "guides/how-torch-behaves-at-the-edges/",
    "kernel": "guides/how-torch-behaves-at-the-edges/",
    "allclose": "guides/comparing-results/",
    "tolerance": "guides/comparing-results/",
    "transformers library": "guides/works-with/",
    "x-transformers": "guides/works-with/",
    "Keras": "guides/works-with/",
    "KV cache": "steps/13-kv-cache/",
    "prefill": "steps/13-kv-cache/",
    "new token starts at 0 again": "steps/13-kv-cache/",
    "GQA": "steps/14-shared-heads/",
    "multi-query": "steps/14-shared-heads/",
    "MLA": "steps/14-shared-heads/",
    "sliding window": "steps/15-windows-and-sinks/",
    "attention sink": "steps/15-windows-and-sinks/",
    "ring buffer": "steps/15-windows-and-sinks/",
    "wrong text after the first token": "guides/what-goes-wrong/",
    "KVCache": "reference/cache/",
    "how are numbers verified": "guides/how-the-numbers-are-verified/",
    "write a page": "guides/writing-a-page/",
    "softmax once": "notebooks/002_softmax_once/",
    "run out of order": "notebooks/004_run_out_of_order/",
    "trained head": "steps/a-head-that-was-trained/",
    "animal street tired": "steps/a-head-that-was-trained/",
    "residual connection": "steps/you-are-here/",
    "layer norm": "steps/you-are-here/",
    "mlp": "steps/you-are-here/",
    "induction head": "steps/induction/",
    "two layers": "steps/induction/",
    "online softmax": "steps/16-softmax-in-parts/",
    "log-sum-exp": "steps/16-softmax-in-parts/",
    "merge two partial results": "steps/16-softmax-in-parts/",
    "tiles": "steps/17-tiles/",
    "backward pass recompute": "steps/17-tiles/",
    "mask_mod": "steps/18-chosen-pairs/",
    "FlexAttention": "steps/18-chosen-pairs/",
    "packed sentences": "steps/18-chosen-pairs/",
    "soft cap": "steps/18-chosen-pairs/",
    "linear attention": "steps/19-without-softmax/",
    "delta rule": "steps/19-without-softmax/",
    "instead of softmax": "steps/19-without-softmax/",
    "sigmoid attention": "steps/19-without-softmax/",
    "attend to nothing": "steps/19-without-softmax/",
    "tensor parallel": "steps/20-heads-on-devices/",
    "all-reduce": "steps/20-heads-on-devices/",
    "ring attention": "steps/21-sequence-on-devices/",
    "context parallel": "steps/21-sequence-on-devices/",
    "head and tail": "steps/21-sequence-on-devices/",
    "all_to_all": "reference/parallel/",
    "Ulysses": "steps/22-all-to-all/",
    "machine too small": "guides/when-one-machine-is-too-small/",
    "Megatron": "guides/when-one-machine-is-too-small/",
    "run_on_threads": "reference/parallel/",
    "how many parameters": "guides/what-attention-costs/",
    "memory bound": "guides/what-attention-costs/",
    "FLOPs": "guides/what-attention-costs/",
    "symbols": "reference/notation/",
    "notation": "reference/notation/",
    "d_model": "reference/notation/",
    "alibi_slopes": "reference/positions/",
    "MultiHeadAttention": "reference/layers/",
    "plot_attention": "reference/pictures/",
    # Words that a search may take for commands, or leave out.
    "0 times NaN": (
        "guides/questions-about-masks/"
        "#a-masked-token-contains-nan-why-is-the-output-nan-although-its-weight-is-0"
    ),
    "-1e9 fp16": (
        "guides/questions-about-masks/#why-does-masking-with-1e9-crash-or-give-nan-in-float16"
    ),
    "-1e-9": "guides/what-goes-wrong/#-1e-9-instead-of-1e9",
    "-inf mask": "steps/08-causal-masks/",
    "all-to-all": "steps/22-all-to-all/",
    "to all": "steps/22-all-to-all/",
    "what is attention": "",
    "head*": "steps/10-multi-head-attention/",
    # Letters that are wrong.
    "softmaxx": "steps/03-weights/",
    "attension": "",
    "querry": "steps/14-shared-heads/",
    "positional encodding": "steps/12-where-is-position/",
    # Error texts as they are printed.
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x4 and 6x4)": (
        "guides/error-texts/#mat1-and-mat2-shapes-cannot-be-multiplied"
    ),
    "RuntimeError: The shape of the 2D attn_mask is torch.Size([6, 4]), but should be (6, 6).": (
        "guides/error-texts/#the-shape-of-the-2d-attn_mask-is"
    ),
    "TypeError: scaled_dot_product_attention() got an unexpected keyword argument 'enable_gqa'": (
        "guides/error-texts/#got-an-unexpected-keyword-argument"
    ),
    "RuntimeError: value cannot be converted to type c10::Half without overflow": (
        "guides/error-texts/#value-cannot-be-converted-to-type-c10half-without-overflow"
    ),
    "RuntimeError: view size is not compatible with input tensor's size and stride (at least one "
    "dimension spans across two contiguous subspaces). Use .reshape(...) instead.": (
        "guides/error-texts/#view-size-is-not-compatible-with-input-tensors-size-and-stride"
    ),
    'File "<stdin>", line 1\n    x = q @ k.mT * ~mask + bias ^ 2\n        ^~~~~~~^\n'
    "RuntimeError: The size of tensor a (6) must match the size of tensor b (4) at non-singleton "
    "dimension 1": "guides/error-texts/#the-size-of-tensor-a-must-match-the-size-of-tensor-b",
}
# What people asked about attention in public, and error texts that they got.
with (Path(__file__).parent / "asked.tsv").open(encoding="utf-8") as asked:
    QUERIES |= dict(line.rstrip("\n").split("\t") for line in asked)

# Asks one after the other, as if somebody typed, and tells which entries of each result are seen
# without opening a fold. The results of the query before are gone when there are others, or none.
ASK = """async (queries) => {
  const box = document.querySelector("[data-md-component=search-query]")
  const list = document.querySelector(".md-search-result__list")
  const address = ({pathname, hash}) => pathname.slice(1) + hash
  const found = {}
  for (const words of queries) {
    list.append(document.createElement("li"))
    const answered = new Promise((resolve) =>
      new MutationObserver((_, observer) => resolve(observer.disconnect()))
        .observe(list, {childList: true}))
    box.value = words
    box.dispatchEvent(new KeyboardEvent("keyup"))
    await answered
    found[words] = [...list.children].map((item) =>
      [...item.querySelectorAll(":scope > a")].map((link) => address(link)))
  }
  return found
}"""


@pytest.fixture(scope="module")
def complaints() -> list[str]:
    """Return a list for what the console says."""
    return []


@pytest.fixture(scope="module")
def search(address: str, browser: Browser, complaints: list[str]) -> Iterator[Page]:
    """Return the home page with its search open."""
    page = browser.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    page.keyboard.press("/")
    box = page.get_by_role("textbox", name="Search")
    box.fill("attention")
    box.press("End")  # one query: letter by letter, answers would come after the first one is seen
    page.locator(".md-search-result__item").first.wait_for()  # the index has come
    yield page
    page.close()


@pytest.fixture(scope="module")
def found(search: Page) -> dict[str, list[list[str]]]:
    """Return the entries of each result, for all queries."""
    answers: dict[str, list[list[str]]] = search.evaluate(ASK, list(QUERIES))
    return answers


@pytest.mark.parametrize("words", QUERIES)
def test_what_is_meant_is_among_the_first_results(
    found: dict[str, list[list[str]]], words: str
) -> None:
    assert QUERIES[words] in [entry for result in found[words][:3] for entry in result]


def test_nothing_that_is_asked_is_complained_about(
    found: dict[str, list[list[str]]], complaints: list[str]
) -> None:
    assert found
    assert not complaints


def test_every_page_is_expected_by_some_words() -> None:
    steps = {place.partition("#")[0] for place in QUERIES.values() if place.startswith("steps/")}
    written = {path.stem for path in sources(".md") if path.parent.name == "steps"}
    assert steps == {f"steps/{name}/" for name in written}


def test_results_show_sentences(search: Page) -> None:
    search.evaluate(ASK, ["sum over query_ie key_je"])
    results = search.locator(".md-search-result__item")
    expect(results.first).to_contain_text("scores_ij = sum over e of query_ie key_je")
    assert results.locator("pre").count() == 0


def test_the_number_of_results_is_announced(search: Page) -> None:
    found = search.evaluate(ASK, ["bahdanau"])["bahdanau"]
    expect(search.get_by_role("status").filter(has_text="matching")).to_have_text(
        f"{len(found)} matching documents"
    )


def test_words_that_are_nowhere_find_nothing_and_the_search_says_so(search: Page) -> None:
    search.get_by_role("textbox", name="Search").fill("zebra")
    search.keyboard.press("End")
    expect(search.get_by_role("status").first).to_have_text("No matching documents")


def test_arrows_and_enter_open_a_result(address: str, page: Page) -> None:
    page.goto(address)
    page.keyboard.press("/")
    page.keyboard.insert_text("causal mask")
    page.keyboard.press("End")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".md-search-result__link").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_title("8. Causal masks - Attention Steps")
