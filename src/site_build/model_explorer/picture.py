"""The drawing as it is before its script comes, and where there is none: the two texts, two blocks.

whole.js and picture.js of theme/assets/model_explorer draw the same in the browser, where each part
opens.
"""

from html import escape

from site_build.model_explorer.drawn import (
    BLOCKS,
    Drawn,
    Look,
    Said,
    draw,
    drawing_words,
    hue,
    in_quotes,
    other_of,
    spelled_share,
    spelled_word,
)
from tiny_lm.stories import START, WORDS

WIDE = 660  # units, which are stretched to the column
RIBBON, SIDE, ENDS = 17, 11, 10
LANES = 64
SIGNS = '<i class="whole-plus"></i><i class="whole-node"></i>'  # of a sum, and of an MLP


def whole_stage(drawn: Drawn) -> str:
    """Return the drawing: words, two blocks, and the answer."""
    blocks = "".join(drawn_block(drawn, layer) for layer in range(len(drawn.now.layers)))
    count, n = len(drawn.now.levels), len(drawn.words)
    vectors = part_line("vectors", "Each word becomes 16 numbers", "embedding")
    answer = part_line("answer", f"The answer: {drawn.said()}", f"{len(WORDS)} shares")
    style = f"--n:{n};--at:{100 * (drawn.at + 0.5) / n:.4f}%"
    side = " left" if drawn.at < n / 2 else ""
    return (
        f'<div class="whole-stage{side}" style="{style}">{words(drawn)}'
        f"{block(drawn, 0, vectors)}{blocks}"
        f"{block(drawn, count - 1, answer, 'last')}</div>"
    )


def texts(drawn: Drawn) -> str:
    """Return both texts, each with its answer."""
    pair = next((pair for pair in drawing_words()["pairs"] if drawn.other in pair), [""])
    both = [
        text_of(drawn, word, drawn.said_of_other if word == drawn.other else drawn.said())
        for word in (pair if drawn.other else [drawn.words[drawn.follow]])
    ]
    return f'<div class="whole-texts">{"".join(both)}</div>'


def text_of(drawn: Drawn, word: str, said: Said) -> str:
    """Return one text with its answer, in the place of the button that puts its word in."""
    here = [*drawn.words[1 : drawn.at + 1]]
    here[drawn.follow - 1] = f'<b class="whole-{hue(word)}">{word}</b>'
    of = f"whole-{hue(said.word)}"
    chosen = " class=chosen" * (word == drawn.words[drawn.follow])
    written = " ".join(here).replace(" .", ".")
    return (
        f'<div{chosen} data-act="swap:{drawn.follow}:{word}">'
        f"<span>{written}{' ' * (said.word != '.')}"
        f'<strong class="{of}">{spelled_word(said.word)}</strong></span>'
        f'<small class="{of}"><i style="--share:{said.share:.4f}"></i>'
        f"{said.percent}</small></div>"
    )


def told(drawn: Drawn) -> str:
    """Return the sentence that says what is seen."""
    if drawn.off or drawn.patch:
        whole = draw(" ".join(drawn.words[1:]), drawn.at, drawn.follow).said()
        changes, without = changes_told(drawn)
        return f"{changes} The answer is {drawn.said()}. {without}, it is {whole}."
    asks = in_quotes(drawn.words[drawn.at])
    lit = [
        f"In the {BLOCKS[layer]} {block_tells(drawn, layer)}."
        for layer in range(len(drawn.now.layers))
        if lit_look(drawn, layer)
    ]
    none = f"No look brings much of {in_quotes(drawn.words[drawn.follow])} to {asks}."
    return f"{' '.join(lit) or none} The answer is {drawn.said()}."


def changes_told(drawn: Drawn) -> tuple[str, str]:
    """Say what is switched off and put in, and of which model the answer is compared."""
    names = " and ".join(part_name(drawn, part) for part in sorted(drawn.off))
    off = f"Switched off: {names}."
    if not drawn.patch:
        return off, "With all parts on"
    layer, place = drawn.patch
    put = (
        f"Before the {BLOCKS[layer]}, {in_quotes(drawn.words[place])} comes from the text with "
        f"{in_quotes(drawn.other)}."
    )
    return (
        (f"{off} {put}", "With all parts on and no patch")
        if drawn.off
        else (put, "Without the patch")
    )


def part_name(drawn: Drawn, part: str) -> str:
    """Return what a part is called in a sentence."""
    layer, own = part.split(".")
    if own == "mlp":
        return f"the MLP of the {BLOCKS[int(layer)]}"
    word = drawn.words[drawn.looks(int(layer))[int(own)].most]
    return f"the look at {in_quotes(word)} in the {BLOCKS[int(layer)]}"


def legend(drawn: Drawn) -> str:
    """Return what the colours and the widths mean."""
    sizes = "A wider ribbon is a larger weight, and a wider stream has larger numbers."
    if drawn.patch:
        return f'<i></i>what the patch has changed <i class="rest"></i>the rest. {sizes}'
    word, other = in_quotes(drawn.words[drawn.follow]), in_quotes(drawn.other)
    return (
        f"<i></i>what would be different with {other} in place of {word} "
        f'<i class="rest"></i>the rest. {sizes}'
        if drawn.other
        else sizes
    )


def words(drawn: Drawn) -> str:
    """Return the words over their streams."""
    buttons = []
    for j, word in enumerate(drawn.words):
        kinds = [
            "swaps" * bool(other_of(word)),
            f"follow whole-{hue(word)}" * (j == drawn.follow),
            "patched" * (drawn.patch is not None and j == drawn.patch[1]),
            "asks" * (j == drawn.at),
            "start" * (word == START),
        ]
        kind = " ".join(filter(None, kinds))
        buttons.append(
            f'<button type="button" data-act="choose:{j}" class="{kind}" '
            f'tabindex="{-(j != drawn.follow)}">'
            f"<span>{spelled_word(word)}</span></button>"
        )
    return f'<div class="whole-words" inert>{"".join(buttons)}</div>'


def part_line(part: str, title: str, small: str) -> str:
    """Return the line of a part, which opens once there is a script."""
    return (
        f'<div class="whole-line" inert><button type="button" data-act="toggle:{part}" '
        'aria-expanded="false">'
        f"<span><b>{title}</b> <small>{small}</small></span></button></div>"
    )


def block(drawn: Drawn, level: int, html: str, kind: str = "") -> str:
    """Return a block of the drawing: the streams of a level behind what stands in it."""
    lines = "".join(
        line_of("stream", f"M{x(drawn, j):.1f} 0V1", max(1.0, size), share)
        for j, (size, share) in enumerate(drawn.streams(level))
    )
    streams = svg(1, lines, ' class="whole-streams"')
    return f'<div class="whole-part {kind}">{streams}{html}</div>'


def svg(high: int, content: str, more: str = "") -> str:
    """Return a drawing of a height in pixels, which is stretched to the width of its column."""
    size = more or f' style="height:{high}px"'
    return (
        f'<svg viewBox="0 0 {WIDE} {high}" preserveAspectRatio="none" aria-hidden="true"{size}>'
        f"{content}</svg>"
    )


def line_of(kind: str, d: str, wide: float, share: float) -> str:
    """Return a line in grey, and in it, in colour, the part that would be different."""
    grey = f'<path class="{kind}" d="{d}" style="--wide:{wide:.2f}"/>'
    core = f'<path class="{kind} core" d="{d}" style="--wide:{wide * share:.2f}"/>'
    return grey + core * (wide * share >= 0.4)


def x(drawn: Drawn, j: int) -> float:
    """Return where a word stands."""
    return (j + 0.5) * WIDE / len(drawn.words)


def way_of(drawn: Drawn, j: int, y: float, side: float) -> str:
    """Return the way of a ribbon: along its lane, and down to the stream of the one that asks."""
    start, asks, end = x(drawn, j), x(drawn, drawn.at), LANES + ENDS
    to = asks + side
    r = min(16.0, abs(to - start) / 2)
    if j == drawn.at:
        out = asks - 2 * SIDE
        return (
            f"M{asks:.1f} {y - r:.1f}C{out:.1f} {y - r:.1f} {out:.1f} {y + r:.1f} {to:.1f} "
            f"{end - ENDS:.1f}T{asks:.1f} {end:.1f}"
        )
    turn = r if to > start else -r
    return (
        f"M{start:.1f} {y - r:.1f}Q{start:.1f} {y:.1f} {start + turn:.1f} {y:.1f}H{to - turn:.1f}"
        f"Q{to:.1f} {y:.1f} {to:.1f} {y + r:.1f}V{end - ENDS}Q{to:.1f} {end - 2} {asks:.1f} {end}"
    )


def lanes_of(drawn: Drawn, layer: int) -> str:
    """Return the ribbons of the heads of a block, those that bring nothing behind the others."""
    looks = drawn.looks(layer)
    order = sorted(range(len(looks)), key=lambda h: looks[h].lit is not None)
    return svg(LANES, "".join(ribbons(drawn, looks[h], layer, h) for h in order))


def ribbons(drawn: Drawn, look: Look, layer: int, h: int) -> str:
    """Return a ribbon for each weight of a head, the widest in front."""
    drawn_in = sorted(range(len(look.weights)), key=lambda j: look.weights[j])
    side = -SIDE if h else SIDE
    lines = [
        line_of(
            "ribbon",
            way_of(drawn, j, 17 + 26 * h, side),
            max(0.8, look.weights[j] * RIBBON),
            look.changed[j],
        )
        for j in drawn_in
        if look.weights[j] >= 0.004
    ]
    kinds = "off " * (f"{layer}.{h}" in drawn.off) + "rests" * (look.lit is None)
    return f'<g class="{kinds.strip()}">{"".join(lines)}</g>'


def drawn_block(drawn: Drawn, layer: int) -> str:
    """Return a block, folded to the lanes of its heads."""
    before, mid, out = 2 * layer, 2 * layer + 1, 2 * layer + 2
    said = drawn.said(out)
    lens = (
        f'<p class="whole-lens">so far: <b class="whole-{hue(said.word)}">'
        f"{spelled_word(said.word)}</b> {said.percent}</p>"
    )
    title = BLOCKS[layer].capitalize()
    parts = [
        block(drawn, before, part_line(str(layer), title, block_tells(drawn, layer))),
        block(drawn, before, lanes_of(drawn, layer), "lanes"),
        block(drawn, mid, SIGNS, "then"),
        block(drawn, out, lens, "so"),
    ]
    return f'<div class="whole-block">{"".join(parts)}</div>'


def lit_look(drawn: Drawn, layer: int) -> Look | None:
    """Return the look of a block that brings what would be different, if there is one."""
    looks = enumerate(drawn.looks(layer))
    return next(
        (look for h, look in looks if look.lit is not None and f"{layer}.{h}" not in drawn.off),
        None,
    )


def block_tells(drawn: Drawn, layer: int) -> str:
    """Say what the word that asks takes in a block, or else where it looks."""
    asks = in_quotes(drawn.words[drawn.at])
    look = lit_look(drawn, layer)
    if look and look.lit is not None:
        return f"{asks} takes {spelled_share(look.weights[look.lit])} from {found(drawn, look.lit)}"
    looks = [
        found(drawn, each.most)
        for h, each in enumerate(drawn.looks(layer))
        if f"{layer}.{h}" not in drawn.off
    ]
    return f"{asks} looks at {' and '.join(dict.fromkeys(looks)) or 'no word'}"


def found(drawn: Drawn, place: int) -> str:
    """Return what the word that asks finds at a place."""
    return "itself" if place == drawn.at else in_quotes(drawn.words[place])


def tray(drawn: Drawn) -> str:
    """Return the words to swap in for the one that is followed; with the script, they can."""
    word = drawn.words[drawn.follow]
    kind: list[str] = next((kind for kind in drawing_words()["kinds"] if word in kind), [])
    chips = "".join(
        f'<button type="button" data-act="swap:{drawn.follow}:{each}" class="whole-{hue(each)}" '
        f'aria-pressed="{str(each == word).lower()}">{escape(each)}</button>'
        for each in kind
    )
    return f'<div class="whole-tray" inert><span>Swap<i> {in_quotes(word)}</i>:</span>{chips}</div>'


MORE = (
    '<div class="whole-more" inert><button type="button" data-act="read:duck">other text</button>'
    '<button type="button" data-act="play" class="film">▸ play</button>'
    '<button type="button" data-act="copyLink">copy link</button></div>'
)
