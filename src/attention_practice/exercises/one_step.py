"""Exercise: one step of training, for one number."""

import torch

from attention_practice._exercise import Case, Exercise, planted


def my_one_step(loss_of, number, nudge, rate):
    loss = loss_of(number)
    nudged_loss = loss_of(number + nudge)
    slope = (nudged_loss - loss) / nudge
    return number - rate * slope


def square(number: torch.Tensor) -> torch.Tensor:
    return (number - 3.0).square()


def ramp(number: torch.Tensor) -> torch.Tensor:
    return 2.0 * number + 1.0


EXERCISE = Exercise(
    title="One step of training",
    task=(
        "Move one number by one step. `loss_of(number)` is its loss. Find the slope by a nudge, "
        "and move the number against its slope, by `rate` times the slope."
    ),
    page="steps/who-finds-the-numbers/",
    differentiable=False,
    cases=(
        Case("the number 1, where 3 is best", (square, torch.tensor([1.0]), 0.5, 0.1)),
        Case("the number 4, where 3 is best", (square, torch.tensor([4.0]), 0.25, 0.2)),
        Case("a loss that grows with the number", (ramp, torch.tensor([2.0]), 0.5, 0.4)),
    ),
    mistakes=planted("""
        Read: steps/who-finds-the-numbers/#nudge
        uphill `nudged_loss - loss` -> `loss - nudged_loss`: The number moves uphill, so its loss
            grows. The slope is the nudged loss minus the loss, and the number moves against it.
        not divided ` / nudge` -> ``: Your slope is the change of the loss alone. Divide it by the
            nudge.
        multiplied ` / nudge` -> ` * nudge`: The change of the loss is multiplied by the nudge.
            Divide it.
        loss nudged `loss_of(number + nudge)` -> `loss_of(number) + nudge`: The nudge is added to
            the loss. Add it to the number, and compute the loss again.
        Read: steps/who-finds-the-numbers/#what-training-changes
        no rate `rate * slope` -> `slope`: The number moves by the whole slope. Multiply the slope
            by the rate.
        slope alone `number - rate * slope` -> `slope`: That is the slope. Return the number after
            its step.
    """),
    hints=(
        "The slope is the change of the loss, divided by the change of the number.",
        "Compute the loss twice, for `number` and for `number + nudge`.",
    ),
    solution=my_one_step,
    lines="""
        loss = loss_of(number)

        nudged_loss = loss_of(number + nudge)
        nudged_loss = loss_of(number) + nudge

        slope = (nudged_loss - loss) / nudge
        slope = (loss - nudged_loss) / nudge
        slope = nudged_loss - loss

        return number - rate * slope
        return number + rate * slope
    """,
)
