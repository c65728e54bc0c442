// The words of the toy, and all that it says of them. This is the one place where they stand: the
// browser imports it, and the build reads what follows "export default" as JSON. The words of the
// course keep their numbers, and the fifth, music, is 0 in all of them. A meaning is named for the
// component that brings it, the left end of the line first; "own" is what a reader's own word begins as.

export default {
  "components": ["water", "money", "acts", "describes", "music"],
  "words": {
    "the": [0, 0, 0, 1, 0],
    "duck": [3, 0, 1, 0, 0],
    "frog": [2, 0, 1, 0, 0],
    "sailor": [2, 0, 1, 0, 0],
    "banker": [0, 3, 1, 0, 0],
    "thief": [0, 2, 1, 0, 0],
    "singer": [0, 0, 1, 0, 2],
    "cat": [0, 0, 1, 0, 0],
    "likes": [0, 0, 2, 0, 0],
    "sees": [0, 0, 2, 0, 0],
    "soaks": [3, 0, 2, 0, 0],
    "pays": [0, 3, 2, 0, 0],
    "hears": [0, 0, 2, 0, 3],
    "muddy": [3, 0, 0, 3, 0],
    "wet": [3, 0, 0, 3, 0],
    "rich": [0, 3, 0, 3, 0],
    "golden": [0, 3, 0, 3, 0],
    "loud": [0, 0, 0, 3, 3],
    "high": [0, 0, 0, 3, 3],
    "old": [0, 0, 0, 3, 0],
    "bank": [1, 1, 0, 0, 0],
    "note": [0, 1, 0, 0, 1],
    "bass": [1, 0, 0, 0, 1],
    "money": [0, 3, 0, 0, 0],
    "gold": [0, 3, 0, 0, 0],
    "rain": [3, 0, 0, 0, 0],
    "songs": [0, 0, 0, 0, 3]
  },
  "slots": {
    "article": ["the"],
    "subject": ["duck", "frog", "sailor", "banker", "thief", "singer", "cat"],
    "verb": ["likes", "sees", "soaks", "pays", "hears"],
    "adjective": ["muddy", "wet", "rich", "golden", "loud", "high", "old"],
    "ambiguous": ["bank", "note", "bass"],
    "object": ["money", "gold", "rain", "songs"]
  },
  "templates": [
    ["article", "subject", "verb", "article", "adjective", "ambiguous"],
    ["article", "ambiguous", "verb", "object"]
  ],
  "meanings": {
    "bank": {"money": "A bank full of money.", "water": "A bank by the water."},
    "note": {"money": "A note to pay with.", "music": "A note to sing."},
    "bass": {"music": "A bass that you hear.", "water": "A bass that swims."}
  },
  "own": {"subject": "otter", "verb": "guards", "adjective": "misty", "object": "pearls"},
  "decided": 0.5,
  "sent": [
    "the duck likes the muddy bank",
    "the cat likes the muddy bank",
    "the cat likes the rich bank",
    "the duck likes the rich bank",
    "the banker likes the rich bank",
    "the cat sees the old bank",
    "the bank likes money",
    "the bank likes rain",
    "the thief sees the golden note",
    "the singer hears the high note",
    "the frog sees the wet bass",
    "the singer hears the loud bass"
  ]
}
