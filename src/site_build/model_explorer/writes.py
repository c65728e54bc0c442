"""What stands above a drawing that writes, before its script comes: theme/assets/writing."""

from site_build.model_explorer.drawn import Drawn, hue, in_quotes, spelled_share
from site_build.model_explorer.forward import shares
from tiny_lm.stories import WORDS

OFFERED = 5  # words
TEMPERATURES = ["0.5", "1", "1.5", "2"]
BEGIN = (
    '<div class="whole-more" inert><button type="button" data-act="again">begin again</button>'
    '<button type="button" data-act="copyLink">copy link</button></div>'
)


def story(drawn: Drawn) -> str:
    """Return the text so far."""
    written = " ".join(drawn.words[1 : drawn.at + 1]).replace(" .", ".")
    return f'<div class="whole-texts"><p>{written} …</p></div>'


def story_tray(drawn: Drawn) -> str:
    """Return the words with the largest shares, and how to go on."""
    found = zip(shares(drawn.now.levels[-1][drawn.at]), WORDS, strict=True)
    chips = "".join(
        f'<button type="button" data-act="put:{rank}" class="whole-{hue(word)}" '
        f'style="--share:{share:.4f}"><b>{word}</b> {spelled_share(share)}</button>'
        for rank, (share, word) in enumerate(sorted(found, reverse=True)[:OFFERED])
    )
    warm = "".join(
        f'<button type="button" data-act="temper:{each}" aria-pressed="{str(each == "1").lower()}">'
        f"{each}</button>"
        for each in TEMPERATURES
    )
    ways = "".join(
        f'<button type="button" data-act="{act}">{name}</button>'
        for act, name in [
            ("drawOne", "draw a word"),
            ("drawRest", "draw the rest"),
            ("takeBack", "take back"),
        ]
    )
    return (
        '<div class="whole-tray" inert>'
        f'<div class="whole-next"><span>Next word:</span>{chips}</div>'
        f"<div><span>Temperature:</span>{warm}</div><div>{ways}</div></div>"
    )


def story_told(drawn: Drawn) -> str:
    """Return the sentence that says what is seen."""
    said = drawn.said()
    return (
        f"After {in_quotes(drawn.words[drawn.at])}, the model gives {in_quotes(said.word)} "
        f"the largest share, {said.percent}."
    )
