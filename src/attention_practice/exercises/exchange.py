"""Exercise: all to all."""

from attention_practice._exercise import Case, Exercise, planted
from attention_practice._inputs import numbers


def my_exchange(x):
    return x.unflatten(2, (len(x), -1)).movedim(2, 0).flatten(1, 2)


EXERCISE = Exercise(
    title="All to all",
    task=(
        "An all-to-all, as one computation for all devices: device r holds its words with all "
        "heads, x[r] of (words, num_heads, head_dim), and gets all words with its share of the "
        "heads: (devices, words, num_heads, head_dim) -> (devices, devices * words, num_heads / "
        "devices, head_dim)."
    ),
    page="steps/all-to-all/",
    cases=(
        Case("two devices, three words and four heads each", (numbers(2, 3, 4, 2),)),
        Case("three devices, one word and three heads each", (numbers(3, 1, 3, 2, start=1),)),
        Case("two devices, two words and two heads each", (numbers(2, 2, 2, 1, start=2),)),
    ),
    mistakes=planted("""
        Read: steps/all-to-all/#by-hand-with-a-list
        reshaped `x.unflatten(2, (len(x), -1)).movedim(2, 0).flatten(1, 2)` -> `x.reshape(len(x),
            len(x) * x.shape[1], -1, x.shape[-1])`: No number has changed its device: a reshape only
            reads the same numbers in another shape. Cut the heads, then exchange the axis of the
            devices with that of the shares.
        order `.flatten` -> `.flip(1).flatten`: The words of the last device come first.
        Read: steps/all-to-all/#the-formula
        heads in turn `(len(x), -1))` -> `(-1, len(x))).transpose(2, 3)`: The heads are dealt to the
            devices in turn. Device 0 gets the first ones.
        Read: steps/all-to-all/#words-in-the-order-of-a-ring
        words in turn `.movedim(2, 0)` -> `.movedim(2, 0).transpose(1, 2)`: The words of the devices
            alternate. All words of device 0 come first.
        Read: steps/all-to-all/#what-is-sent
        gathered `x.unflatten(2, (len(x), -1)).movedim(2, 0).flatten(1, 2)` -> `x.flatten(0,
            1).expand(len(x), -1, -1, -1)`: Every device has all words with all heads: that is an
            all-gather. A device gets its share of the heads.
    """),
    hints=(
        "Cut the axis of the heads into (devices, share), then move the new axis to the front.",
        "`x.unflatten(2, (len(x), -1)).movedim(2, 0).flatten(1, 2)` does all of it.",
    ),
    solution=my_exchange,
    lines="""
        x = x.unflatten(2, (len(x), -1))
        x = x.unflatten(2, (-1, len(x))).transpose(2, 3)

        x = x.movedim(2, 0)
        # nothing

        return x.flatten(1, 2)
        return x.flip(1).flatten(1, 2)
        return x.transpose(1, 2).flatten(1, 2)
    """,
)
