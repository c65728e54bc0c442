// The texts of the drawing, and the words that can be swapped in them. This is the one place where they
// stand: the browser imports it, and the build reads what follows "export default" as JSON. A word is
// compared with the other one of its pair: nothing else differs between the two texts. What is "sent" has
// a page and a card of its own: src/site_build/story_cards.py.

export default {
  "texts": {
    "muddy": "the rich duck likes the muddy bank . the bank is full of",
    "rich": "the muddy duck likes the rich bank . the bank is full of",
    "duck": "the muddy duck likes the rich bank . the duck is full of",
    "queen": "the queen likes the bank . the bank is full of"
  },
  "pairs": [
    ["muddy", "rich"],
    ["wet", "locked"],
    ["duck", "queen"],
    ["frog", "banker"],
    ["fish", "thief"],
    ["likes", "sees"]
  ],
  "kinds": [
    ["muddy", "wet", "rich", "locked"],
    ["duck", "frog", "fish", "queen", "banker", "thief"],
    ["likes", "sees"]
  ],
  "hues": {
    "water": ["muddy", "wet", "duck", "frog", "fish", "water"],
    "money": ["rich", "locked", "queen", "banker", "thief", "money"]
  },
  "sent": {
    "money-becomes-water": { "text": "rich", "off": "1.1" },
    "read-where-it-stands": { "text": "rich", "patch": "1.6" },
    "the-verb-decides": { "text": "the rich duck hides the muddy bank . the bank is full of" }
  }
}
