"""A small serving engine: it writes for many requests at once, and each gets its tokens as alone.

Pages of a KV cache, continuous batching under a token budget, prompts in chunks, shared prefixes,
preemption, and a draft. In each step the unread tokens of all requests are rows of one matrix. Only
attention knows which rows belong together: it reads each request's keys and values by its table.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from random import Random
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attention_steps import causal_mask
from tiny_lm.model import LanguageModel

Plan = list[tuple["Request", int]]  # who takes part in a step, with how many rows
Texts = list[tuple[Tensor, int]]  # of each, the slots of its tokens, and how many are new


@dataclass(eq=False)
class Request:
    """A prompt, and how to go on.

    Attributes:
        tokens: The prompt, and what has been written after it.
        computed: The first so many of them have their keys and values in the cache.
        table: The pages that hold these, in order.
        guesses: Tokens that the draft expects next; the next step verifies them.
    """

    prompt: Sequence[int]
    max_tokens: int
    temperature: float = 0.0  # 0 is greedy
    seed: int = 0

    def __post_init__(self) -> None:
        self.tokens = list(self.prompt)
        self.random = Random(self.seed)  # its own: one number for each token, whoever is beside it
        self.computed, self.table, self.guesses = 0, list[int](), list[int]()

    @property
    def written(self) -> list[int]:
        """The tokens after the prompt."""
        return self.tokens[len(self.prompt) :]

    @property
    def unread(self) -> int:
        """How many rows the next step would have, if all of them fit."""
        return len(self.tokens) + len(self.guesses) - self.computed


class Pages:
    """Who uses which page of the cache.

    Attributes:
        free: Pages without users. The one that was not used for longest is first, and taken first.
        users: How many requests have each page in their table.
        known: Full pages by all tokens up to their end. A free page is known until it is taken.
    """

    def __init__(self, number: int, size: int) -> None:
        self.size = size
        self.free = dict.fromkeys(range(number))
        self.users = [0] * number
        self.known: dict[tuple[int, ...], int] = {}
        self.names: dict[int, tuple[int, ...]] = {}  # the other way round

    def needed(self, length: int) -> int:
        """How many pages hold so many tokens."""
        return -(-length // self.size)

    def name(self, request: Request, end: int) -> tuple[int, ...]:
        """What a page that ends there is known by: a key depends on all tokens before it."""
        return tuple(request.tokens[:end])

    def take(self, request: Request, length: int) -> bool:
        """Make its table long enough for so many tokens, or leave it if too few pages are free."""
        more = self.needed(length) - len(request.table)
        if more > len(self.free):
            return False
        for page in [*islice(self.free, max(0, more))]:
            if page in self.names:  # evicted
                del self.known[self.names.pop(page)]
            del self.free[page]
            self.users[page] = 1
            request.table.append(page)
        return True

    def share(self, request: Request) -> None:
        """Begin its empty table with known pages. The last token is always read: it has logits."""
        for end in range(self.size, len(request.tokens), self.size):
            page = self.known.get(self.name(request, end))
            if page is None:
                break
            self.free.pop(page, None)
            self.users[page] += 1
            request.table.append(page)
            request.computed = end

    def remember(self, request: Request, start: int) -> None:
        """Make the pages known that are full now, and were not when `start` tokens were there."""
        first = (start // self.size + 1) * self.size
        for end in range(first, request.computed + 1, self.size):
            name, page = self.name(request, end), request.table[end // self.size - 1]
            if name not in self.known:  # otherwise another request has computed the same
                self.known[name], self.names[page] = page, name

    def give_back(self, request: Request) -> None:
        """Take its table away, the end first: fewer requests share a longer prefix."""
        for page in reversed(request.table):
            self.users[page] -= 1
            if not self.users[page]:
                self.free[page] = None
        request.table, request.computed, request.guesses = [], 0, []


def lookup(tokens: list[int], ahead: int) -> list[int]:
    """Guess that the text goes on as it did after the last place with the same two tokens."""
    for end in range(len(tokens) - 1, 1, -1):
        if tokens[end - 2 : end] == tokens[-2:]:
            return tokens[end : end + ahead]
    return []


def choose(logits: Tensor, request: Request) -> int:
    """Take the likeliest token, or draw one with the request's own random number."""
    if request.temperature == 0:
        return int(logits.argmax())
    shares = torch.softmax(logits.double() / request.temperature, dim=-1).cumsum(-1)
    return min(int((shares <= request.random.random()).sum()), len(shares) - 1)


class Engine:
    """Serves requests step by step.

    Args:
        model: The model, which scores the next token.
        pages: How many pages the cache has, for all requests together.
        size: How many tokens a page holds.
        budget: How many rows a step has at most.
        places: How many requests are served at the same time.
        ahead: How many guesses a request may have in a step. Defaults to none.
        draft: What guesses, given the tokens and how many. Defaults to a lookup in the text itself.
        is_finished: Says from its tokens whether a text is complete before `max_tokens`.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        pages: int = 64,
        size: int = 4,
        budget: int = 64,
        places: int = 8,
        ahead: int = 0,
        draft: Callable[[list[int], int], list[int]] = lookup,
        is_finished: Callable[[list[int]], bool] = lambda tokens: False,
    ) -> None:
        self.model, self.is_finished = model, is_finished
        self.pages, self.budget, self.places = Pages(pages, size), budget, places
        self.ahead, self.draft = ahead, draft
        self.waiting: deque[Request] = deque()
        self.running: list[Request] = []  # in the order in which they were admitted
        self.preemptions = self.guessed = self.kept = 0
        layer = model.blocks[0].attention
        room = len(model.blocks), 2, layer.num_kv_heads, pages * size, layer.head_dim
        self.cache = torch.zeros(room, dtype=model.embedding.weight.dtype)

    def add(self, request: Request) -> None:
        """Put a request into the queue.

        Raises:
            ValueError: If the prompt is empty, or if it would not fit even alone.
        """
        if not request.prompt or request.max_tokens < 1:
            raise ValueError("prompt must have a token, and max_tokens must be at least 1")
        needed = self.pages.needed(len(request.prompt) + request.max_tokens - 1)
        if needed > len(self.pages.users):
            raise ValueError(f"pages must be at least {needed}, got {len(self.pages.users)}")
        self.waiting.append(request)

    def plan(self) -> Plan:
        """Say who takes part in the next step: first who runs, oldest first, then who waits."""
        plan, left = Plan(), self.budget
        for request in [*self.running]:
            if not left or request not in self.running:  # preempted for an older one
                break
            self.guess(request, left - 1)
            rows = min(request.unread, left)
            if not self.make_room(request, request.computed + rows):
                break
            plan.append((request, min(request.unread, rows)))  # without guesses that did not fit
            left -= plan[-1][1]
        while self.waiting and left and len(self.running) < self.places:
            request = self.waiting[0]
            if not self.admit(request):
                break
            self.running.append(self.waiting.popleft())
            plan.append((request, min(request.unread, left)))
            left -= plan[-1][1]
        return plan

    def admit(self, request: Request) -> bool:
        """Take pages for all of its tokens, whatever part of them this step reads, or none."""
        self.pages.share(request)
        if self.pages.take(request, len(request.tokens)):
            return True
        self.pages.give_back(request)
        return False

    def make_room(self, request: Request, length: int) -> bool:
        """Take pages for a running request. Who came last makes room, maybe the request itself."""
        while not self.pages.take(request, length):
            if request.guesses:  # nobody is preempted for a guess
                request.guesses, length = [], len(request.tokens)
                continue
            last = self.running.pop()
            self.pages.give_back(last)
            self.waiting.appendleft(last)
            self.preemptions += 1
            if last is request:
                return False
        return True

    def guess(self, request: Request, most: int) -> None:
        """Ask the draft, where only the last token is unread. The token after it is the model's."""
        most = min(self.ahead, most, request.max_tokens - len(request.written) - 1)
        if most > 0 and request.unread == 1:
            request.guesses = self.draft(request.tokens, most)

    def step(self) -> Plan:
        """Read the rows of a step, and write where a text is read to its end."""
        plan = self.plan()
        logits = torch.split(self.read(plan), [rows for _, rows in plan])
        for (request, rows), scores in zip(plan, logits, strict=True):
            start = request.computed
            request.computed += rows
            if is_read := request.computed >= len(request.tokens):
                self.write(request, scores[-1 - len(request.guesses) :])
            request.computed = min(request.computed, len(request.tokens) - 1)  # refused: forgotten
            request.guesses = []
            self.pages.remember(request, start)
            is_full = len(request.written) == request.max_tokens
            if is_read and (is_full or self.is_finished(request.tokens)):
                self.running.remove(request)
                self.pages.give_back(request)
        return plan

    def write(self, request: Request, logits: Tensor) -> None:
        """Write what the model chooses, for as long as it was guessed, and one token more.

        This is the rule of speculative decoding for a draft that is sure, q = 1: min(1, p / q) is
        how often the model draws the guess, and p - q, without what is negative, is the rest of p.
        """
        self.guessed += len(request.guesses)
        for scores, guess in zip(logits, [*request.guesses, None], strict=True):
            request.tokens.append(choose(scores, request))
            if request.tokens[-1] != guess:
                break
            self.kept += 1
            if self.is_finished(request.tokens):
                break

    @torch.inference_mode()
    def read(self, plan: Plan) -> Tensor:
        """Return the logits of all rows, one request after another."""
        ids, positions, texts, size = list[int](), list[int](), Texts(), self.pages.size
        for request, rows in plan:
            start, end = request.computed, request.computed + rows
            ids += [*request.tokens, *request.guesses][start:end]
            positions += range(start, end)
            place, table = torch.arange(end), torch.tensor(request.table)
            texts.append((table[place // size] * size + place % size, rows))
        return self.forward(torch.tensor(ids), torch.tensor(positions), texts)

    def forward(self, ids: Tensor, positions: Tensor, texts: Texts) -> Tensor:
        """Run the model on the rows of a step. Only `attend` tells one request from another."""
        x = self.model.embedding(ids) + self.model.position(positions)
        for number, block in enumerate(self.model.blocks):
            attend = partial(self.attend, self.cache[number], texts)
            x = x + block.attention(block.norm1(x), attend=attend)
            x = x + block.mlp(x)
        return self.model.unembed(x)

    def attend(self, cache: Tensor, texts: Texts, *heads: Any, **_: Any) -> Tensor:
        """Keep the new keys and values, then let the rows of each request see its own slots."""
        query, key, value = heads[:3]  # each (heads, rows, head_dim)
        cache[:, :, torch.cat([slots[-rows:] for slots, rows in texts])] = torch.stack((key, value))
        contexts = []
        parts = torch.split(query, [rows for _, rows in texts], dim=1)
        for part, (slots, rows) in zip(parts, texts, strict=True):
            mask = causal_mask(rows, len(slots), offset=len(slots) - rows)
            keys, values = cache[:, :, slots]
            context = scaled_dot_product_attention(part, keys, values, mask, enable_gqa=True)
            contexts.append(context)
        return torch.cat(contexts, dim=1)


def serve(engine: Engine, requests: Sequence[Request]) -> list[Plan]:
    """Serve requests that come together, and return who took part in each step."""
    for request in requests:
        engine.add(request)
    steps = []
    while engine.waiting or engine.running:
        steps.append(engine.step())
    return steps
