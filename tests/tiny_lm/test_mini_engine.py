"""Each request gets the tokens that it gets alone, whatever the others are and when they come."""

from collections import Counter
from functools import partial
from random import Random

import pytest
import torch
from torch import Tensor

from attention_steps import rotary_embedding
from tiny_lm.mini_engine import Engine, Request, Texts, lookup, serve
from tiny_lm.model import LanguageModel, trained_model
from tiny_lm.stories import ALL, ID, LENGTH, WORDS

rotate = partial(rotary_embedding, interleaved=False)
STORIES = [[ID[word] for word in story.words] for story in ALL]


class Rotary(LanguageModel):
    """A model for texts of any length, with fixed numbers: no training makes the proof stronger."""

    def __init__(self) -> None:
        super().__init__()
        self.double().requires_grad_(False)
        for n, parameter in enumerate(self.parameters()):
            places = torch.arange(parameter.numel(), dtype=torch.float64)
            parameter.copy_(torch.sin((1.3 + 0.1 * n) * places**1.1).view_as(parameter))

    def forward(self, ids: Tensor, caches: object = None) -> Tensor:
        x = self.embedding(ids)
        for block in self.blocks:
            x = x + block.attention(block.norm1(x), is_causal=True, rotate=rotate)
            x = x + block.mlp(x)
        return self.unembed(x)


class RotaryEngine(Engine):
    """The engine for that model: positions go into queries and keys."""

    def forward(self, ids: Tensor, positions: Tensor, texts: Texts) -> Tensor:
        x, turn = self.model.embedding(ids), partial(rotate, positions=positions)
        for number, block in enumerate(self.model.blocks):
            attend = partial(self.attend, self.cache[number], texts)
            x = x + block.attention(block.norm1(x), rotate=turn, attend=attend)
            x = x + block.mlp(x)
        return self.model.unembed(x)


def is_told(tokens: list[int]) -> bool:
    return tokens.count(ID["."]) >= 2


def remembered(tokens: list[int], ahead: int) -> list[int]:
    """Guess to the end of a story that begins so; a better draft than the engine's own."""
    told = (story for story in STORIES if story[: len(tokens)] == tokens)
    return next(told, [])[len(tokens) :][:ahead]


def never(tokens: list[int]) -> bool:
    return False


# With the model, how long a text may be, how many tokens a page holds, and the budgets.
STORY = Engine, trained_model().double(), is_told, LENGTH, range(1, 7), (1, 2, 3, 5, 8, 16, 64)
LONG = RotaryEngine, Rotary(), never, 200, (8, 16), (24, 48, 96)


def chosen(logits: Tensor, temperature: float, luck: Random) -> int:
    if not temperature:
        return max(range(len(logits)), key=logits.tolist().__getitem__)
    drawn = luck.random()
    for token, share in enumerate((logits / temperature).softmax(-1).tolist()):
        drawn -= share
        if drawn < 0:
            return token
    return token


def assert_as_alone(engine: Engine, request: Request) -> None:
    """Read the whole text once, without a cache: row n says what comes after token n."""
    luck, length = Random(request.seed), len(request.prompt)
    rows = engine.model(torch.tensor([request.tokens[:-1]]))[0, length - 1 :]
    assert request.written == [chosen(row, request.temperature, luck) for row in rows]
    ends = [engine.is_finished(request.tokens[: length + n + 1]) for n in range(len(rows))]
    assert not any(ends[:-1])
    assert ends[-1] or len(ends) == request.max_tokens


def assert_counted(engine: Engine) -> None:
    """Each page is free or used, by as many as have it, and known by what is in it."""
    pages = engine.pages
    users = Counter(page for request in engine.running for page in request.table)
    assert pages.users == [users[page] for page in range(len(pages.users))]
    assert {*pages.free} == {page for page in range(len(pages.users)) if not users[page]}
    assert pages.known == {name: page for page, name in pages.names.items()}
    for request in engine.running:
        assert len({*request.table}) == len(request.table) >= pages.needed(request.computed)
        for n, page in enumerate(request.table):
            end = (n + 1) * pages.size
            if end > request.computed:
                assert users[page] == 1, "what is still written to is nobody else's"
            elif page in pages.names:
                assert pages.names[page] == tuple(request.tokens[:end])
    assert not any(request.table for request in engine.waiting)


def scenario(dice: Random) -> tuple[Engine, list[tuple[int, Request]]]:
    """Draw an engine, and requests with the steps in which they come."""
    engine_type, model, is_finished, longest, sizes, budgets = dice.choice([STORY] * 3 + [LONG])
    beginnings = dice.sample(STORIES, 3)
    if longest > LENGTH:
        beginnings = [dice.choices(range(len(WORDS)), k=longest - 40) for _ in range(2)]
    requests = []
    for _ in range(dice.randint(1, 8)):
        prompt = dice.choice(beginnings)
        prompt = prompt[: dice.randint(1, min(len(prompt), longest - 1))]
        if dice.random() < 0.5:
            prompt = [*prompt[:-1], dice.randrange(len(WORDS))]
        most = dice.randint(1, min(longest - len(prompt) + 1, 40))
        temperature = dice.choice([0, 0, 0.7, 1, 2])
        request = Request(prompt, most, temperature, seed=dice.randrange(9))
        requests.append((dice.randint(0, 12), request))
    size = dice.choice(sizes)
    needed = max(-(-(len(one.prompt) + one.max_tokens - 1) // size) for _, one in requests)
    engine = engine_type(
        model,
        pages=needed + dice.choice([0, 0, 1, 2, 4, 8, 100]),
        size=size,
        budget=dice.choice(budgets),
        places=dice.randint(1, 8),
        ahead=dice.choice([0, 1, 3, 5]),
        draft=dice.choice([lookup, remembered]),
        is_finished=is_finished,
    )
    return engine, sorted(requests, key=lambda each: each[0])


def test_each_text_is_as_alone() -> None:
    seen: Counter[str] = Counter()
    for seed in range(80):
        engine, requests = scenario(Random(seed))
        coming, step = [*requests], 0
        while coming or engine.waiting or engine.running:
            while coming and coming[0][0] <= step:
                engine.add(coming.pop(0)[1])
            if engine.waiting or engine.running:
                plan = engine.step()
                assert 0 < sum(rows for _, rows in plan) <= engine.budget
                assert len(engine.running) <= engine.places
                seen["in chunks"] += any(not one.written for one, _ in plan)
                seen["rows"] += sum(rows for _, rows in plan)
                seen["shared"] += max(engine.pages.users) > 1
                assert_counted(engine)
            step += 1
        assert len(engine.pages.free) == len(engine.pages.users)
        for _, request in requests:
            assert_as_alone(engine, request)
            seen["long"] += len(request.tokens) > 100
            seen["drawn"] += request.temperature > 0
        seen.update(preempted=engine.preemptions, kept=engine.kept)
        seen["refused"] += engine.guessed - engine.kept
    assert min(seen.values()) > 30, seen


def test_guesses_change_no_token_and_save_steps() -> None:
    engines, texts = [], []
    for ahead in (0, 4):
        engine = Engine(trained_model(), ahead=ahead, draft=remembered, is_finished=is_told)
        requests = [Request(story[:7], 9, 0.7, seed=n) for n, story in enumerate(STORIES[::40])]
        steps = serve(engine, requests)
        texts.append([request.written for request in requests])
        engines.append((engine.kept, sum(len(plan) for plan in steps)))
    assert texts[0] == texts[1]
    (none, before), (kept, after) = engines
    assert none == 0 < before - after <= kept


def test_a_prefix_is_read_once_and_evicted_last() -> None:
    engine = Engine(trained_model(), pages=9, size=2)
    rows = []
    for words in ["the duck likes the muddy bank", "the duck likes the rich bank", "the queens"]:
        prompt = [ID[word] for word in ["<", *words.split()]]
        (plan, *_) = serve(engine, [Request(prompt, 1)])
        rows.append(plan[0][1])
    assert rows == [7, 3, 1]
    known = {*engine.pages.known}
    serve(engine, [Request([ID["rich"]] * 12, 1)])  # on six of nine pages
    lost = known - {*engine.pages.known}
    beginning = tuple(ID[word] for word in ["<", "the", "duck", "likes"])
    assert lost
    assert beginning not in lost


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (Request([], 1), "prompt must have a token"),
        (Request([0], 0), "max_tokens must be at least 1"),
        (Request([0] * 5, 5), "pages must be at least 5, got 4"),
    ],
)
def test_what_cannot_be_served_is_refused(request_: Request, error: str) -> None:
    engine = Engine(trained_model(), pages=4, size=2)
    with pytest.raises(ValueError, match=error):
        engine.add(request_)


def test_the_draft_looks_up_what_followed() -> None:
    assert lookup([1, 2, 3, 9, 1, 2], 2) == [3, 9]
    assert lookup([1, 2, 3, 4], 2) == lookup([1], 2) == []
