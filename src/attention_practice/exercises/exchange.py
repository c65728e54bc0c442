"""Exercise: all to all."""

from torch import Tensor

from attention_practice._exercise import Case, Exercise, MistakeNames, known
from attention_practice._inputs import numbers


def attempt(mistakes: MistakeNames, x: Tensor) -> Tensor:
    devices, words, heads, head_dim = x.shape
    share = heads // devices
    if "gathered" in mistakes:
        return x.flatten(0, 1).expand(devices, -1, -1, -1)
    if "reshaped" in mistakes:
        return x.reshape(devices, devices * words, share, head_dim)
    if "heads in turn" in mistakes:
        cut = x.reshape(devices, words, share, devices, head_dim).transpose(2, 3)
    else:
        cut = x.reshape(devices, words, devices, share, head_dim)
    by_head = cut.movedim(2, 0)
    by_head = by_head.transpose(1, 2) if "words in turn" in mistakes else by_head
    by_head = by_head.flip(1) if "order" in mistakes else by_head
    return by_head.flatten(1, 2)


def my_exchange(x):
    return x.unflatten(2, (len(x), -1)).movedim(2, 0).flatten(1, 2)


EXERCISE = Exercise(
    part=4,
    task=(
        "An all-to-all, as one computation for all devices: device r holds its words with all "
        "heads, x[r] of (words, num_heads, head_dim), and gets all words with its share of the "
        "heads: (devices, words, num_heads, head_dim) -> (devices, devices * words, num_heads / "
        "devices, head_dim)."
    ),
    page="steps/all-to-all/",
    attempt=attempt,
    cases=(
        Case("two devices, three words and four heads each", (numbers(2, 3, 4, 2),)),
        Case("three devices, one word and three heads each", (numbers(3, 1, 3, 2, start=1),)),
        Case("two devices, two words and two heads each", (numbers(2, 2, 2, 1, start=2),)),
    ),
    mistakes=known("""
        Read: steps/all-to-all/#by-hand-with-a-list
        reshaped: No number has changed its device: a reshape only reads the same numbers in another
            shape. Cut the heads, then exchange the axis of the devices with that of the shares.
        order: The words of the last device come first.
        Read: steps/all-to-all/#the-formula
        heads in turn: The heads are dealt to the devices in turn. Device 0 gets the first ones.
        Read: steps/all-to-all/#words-in-the-order-of-a-ring
        words in turn: The words of the devices alternate. All words of device 0 come first.
        Read: steps/all-to-all/#what-is-sent
        gathered: Every device has all words with all heads: that is an all-gather. A device gets
            its share of the heads.
    """),
    hints=(
        "Cut the axis of the heads into (devices, share), then move the new axis to the front.",
        "`x.unflatten(2, (len(x), -1)).movedim(2, 0).flatten(1, 2)` does all of it.",
    ),
    solution=my_exchange,
)
