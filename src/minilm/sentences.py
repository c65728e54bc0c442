"""The sentences that were tried: written down before anything was measured, and none was taken out.

Two were known before: muddy and rich for "bank", tired and wide for "it".
"""

from typing import NamedTuple


class Word(NamedTuple):
    """A word with two senses, and pairs of sentences that differ in one other word."""

    one: str  # words of the one sense, and of the other
    other: str
    pairs: list[tuple[str, str, str, str]]  # a sentence with a gap, two words for it, their kind


WORDS = {
    "bank": Word(
        "river shore lake",
        "money loan cash",
        [
            ("the duck likes the _ bank", "muddy", "rich", "adj"),
            ("we sat near the _ bank and talked", "grassy", "central", "adj"),
            ("the _ went to the bank", "fisherman", "merchant", "agent"),
        ],
    ),
    "bat": Word(
        "owl bird insect",
        "baseball glove tennis",
        [
            ("the _ bat was brown", "hungry", "wooden", "adj"),
            ("he saw a bat in the _", "cave", "stadium", "place"),
            ("the _ had found a bat", "cat", "player", "agent"),
        ],
    ),
    "spring": Word(
        "summer winter autumn",
        "coil wire metal",
        [
            ("the _ spring did not last", "early", "steel", "adj"),
            ("they had a _ spring", "rainy", "rusty", "adj"),
            ("the _ waited for the spring", "gardener", "mechanic", "agent"),
        ],
    ),
    "mouse": Word(
        "rat rabbit squirrel",
        "keyboard computer screen",
        [
            ("the _ mouse is small", "hungry", "wireless", "adj"),
            ("the _ looked at the mouse", "cat", "programmer", "agent"),
            ("a mouse lay on the _", "grass", "desk", "place"),
        ],
    ),
    "crane": Word(
        "heron swan bird",
        "machine tractor lift",
        [
            ("the _ crane moved slowly", "white", "steel", "adj"),
            ("the crane stood in the _", "marsh", "harbour", "place"),
            ("the _ watched the crane", "hunter", "builder", "agent"),
        ],
    ),
    "seal": Word(
        "whale dolphin shark",
        "stamp wax envelope",
        [
            ("the _ seal was round", "hungry", "royal", "adj"),
            ("the seal was on the _", "beach", "letter", "place"),
            ("the _ touched the seal", "diver", "lawyer", "agent"),
        ],
    ),
    "pitcher": Word(
        "player athlete team",
        "jug bottle cup",
        [
            ("the _ pitcher was heavy", "injured", "empty", "adj"),
            ("the pitcher was full of _", "anger", "milk", "place"),
            ("the _ needed a new pitcher", "coach", "cook", "agent"),
        ],
    ),
    "bow": Word(
        "arrow hunter weapon",
        "ribbon dress hair",
        [
            ("she liked the _ bow", "hunting", "silk", "adj"),
            ("the _ had a bow", "archer", "bride", "agent"),
            ("she _ the bow", "aimed", "tied", "verb"),
        ],
    ),
    "bass": Word(
        "fish trout salmon",
        "guitar drum music",
        [
            ("the _ bass was good", "fried", "electric", "adj"),
            ("he _ the bass", "caught", "played", "verb"),
            ("the _ looked for a bass", "fisherman", "band", "agent"),
        ],
    ),
    "match": Word(
        "game tournament football",
        "fire flame candle",
        [
            ("the _ match was short", "final", "burning", "adj"),
            ("he _ the match", "won", "lit", "verb"),
            ("the _ needed a match", "coach", "cook", "agent"),
        ],
    ),
    "bark": Word(
        "tree wood leaf",
        "dog growl howl",
        [
            ("the _ bark surprised us", "rough", "loud", "adj"),
            ("we noticed the bark of the _", "oak", "puppy", "place"),
            ("she _ the bark", "touched", "heard", "verb"),
        ],
    ),
    "palm": Word(
        "tree coconut leaf",
        "hand finger wrist",
        [
            ("the _ palm was wet", "tropical", "sweaty", "adj"),
            ("he _ the palm", "planted", "opened", "verb"),
            ("the _ looked at the palm", "gardener", "boxer", "agent"),
        ],
    ),
    "date": Word(
        "fruit fig nut",
        "calendar day year",
        [
            ("the _ date was wrong", "sweet", "exact", "adj"),
            ("she _ the date", "ate", "forgot", "verb"),
            ("the _ asked for the date", "cook", "lawyer", "agent"),
        ],
    ),
    "pupil": Word(
        "student school teacher",
        "eye iris vision",
        [
            ("the _ pupil was small", "lazy", "black", "adj"),
            ("the _ looked at the pupil", "principal", "surgeon", "agent"),
            ("the pupil of the _", "academy", "cat", "place"),
        ],
    ),
    "nail": Word(
        "hammer screw wood",
        "finger toe skin",
        [
            ("the _ nail was long", "rusty", "painted", "adj"),
            ("he _ the nail", "pulled", "bit", "verb"),
            ("the _ looked at the nail", "carpenter", "doctor", "agent"),
        ],
    ),
    "trunk": Word(
        "elephant animal nose",
        "car luggage vehicle",
        [
            ("the _ trunk was big", "wet", "locked", "adj"),
            ("the trunk of the _", "mammoth", "taxi", "place"),
            ("the _ washed the trunk", "hunter", "driver", "agent"),
        ],
    ),
    "plant": Word(
        "flower tree garden",
        "factory industry machine",
        [
            ("the _ plant was old", "green", "nuclear", "adj"),
            ("they _ the plant", "watered", "managed", "verb"),
            ("the _ visited the plant", "botanist", "engineer", "agent"),
        ],
    ),
    "club": Word(
        "golf stick hammer",
        "dance party disco",
        [
            ("the _ club was expensive", "wooden", "noisy", "adj"),
            ("he _ the club", "swung", "entered", "verb"),
            ("the _ liked the club", "champion", "singer", "agent"),
        ],
    ),
    "port": Word(
        "ship harbor dock",
        "wine drink bottle",
        [
            ("the _ port was good", "busy", "sweet", "adj"),
            ("they _ the port", "entered", "tasted", "verb"),
            ("the _ looked at the port", "captain", "waiter", "agent"),
        ],
    ),
    "star": Word(
        "sun planet galaxy",
        "actor singer celebrity",
        [
            ("the _ star was bright", "distant", "famous", "adj"),
            ("the star of the _", "universe", "movie", "place"),
            ("the _ saw the star", "astronomer", "reporter", "agent"),
        ],
    ),
    "fan": Word(
        "supporter crowd audience",
        "air wind cooling",
        [
            ("the _ fan was loud", "loyal", "electric", "adj"),
            ("the fan in the _", "stadium", "kitchen", "place"),
            ("the _ looked at the fan", "singer", "mechanic", "agent"),
        ],
    ),
    "cell": Word(
        "prison jail prisoner",
        "biology tissue organism",
        [
            ("the _ cell was small", "locked", "living", "adj"),
            ("the _ looked into the cell", "guard", "scientist", "agent"),
            ("the cell in the _", "basement", "blood", "place"),
        ],
    ),
    "organ": Word(
        "piano music church",
        "heart liver kidney",
        [
            ("the _ organ was heard", "old", "vital", "adj"),
            ("the _ looked at the organ", "priest", "surgeon", "agent"),
            ("the organ in the _", "chapel", "body", "place"),
        ],
    ),
    "board": Word(
        "wood plank timber",
        "committee director manager",
        [
            ("the _ board was long", "thick", "advisory", "adj"),
            ("they _ the board", "cut", "elected", "verb"),
            ("the _ spoke about the board", "carpenter", "chairman", "agent"),
        ],
    ),
}

# Two words for the same gaps that say nothing about the sense: how far apart are two sentences
# then?
NEUTRAL = {
    "adj": ("other", "new"),
    "agent": ("boy", "girl"),
    "verb": ("saw", "had"),
    "place": ("photo", "story"),
}

# A sentence with a gap, a word with which "it" is the one noun, and one with which it is the other.
PRONOUNS = [
    (
        "the animal did not cross the street because it was too _",
        "tired",
        "animal",
        "wide",
        "street",
    ),
    ("the trophy did not fit in the bag because it was too _", "big", "trophy", "small", "bag"),
    ("the cup broke on the floor because it was too _", "thin", "cup", "hard", "floor"),
    ("the dog did not eat the meat because it was too _", "sick", "dog", "old", "meat"),
    ("the car could not pass the gate because it was too _", "big", "car", "narrow", "gate"),
    ("the ball went through the window because it was _", "heavy", "ball", "open", "window"),
    ("the cat ran from the house because it was _", "scared", "cat", "burning", "house"),
    ("the horse stopped at the river because it was too _", "thirsty", "horse", "deep", "river"),
    (
        "the table did not go through the door because it was too _",
        "wide",
        "table",
        "narrow",
        "door",
    ),
    (
        "the boat could not enter the harbor because it was too _",
        "large",
        "boat",
        "shallow",
        "harbor",
    ),
    ("the child dropped the plate because it was too _", "young", "child", "hot", "plate"),
    ("the bird did not sit on the branch because it was too _", "heavy", "bird", "weak", "branch"),
]
