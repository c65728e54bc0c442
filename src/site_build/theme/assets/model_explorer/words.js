// The texts of the drawing, and the words that can be swapped in them. This is the one place where they
// stand: the browser imports it, and the build reads what follows "export default" as JSON. A word is
// compared with the other one of its pair: nothing else differs between the two texts. What is "sent" has
// a page and a card of its own: src/site_build/story_cards.py.

export default {
  "texts": {
    "muddy": "the duck likes the muddy bank . the bank is full of",
    "rich": "the duck likes the rich bank . the bank is full of",
    "queen": "the queen likes the bank . the bank is full of",
    "names": "duck ida meets queen tom . queen"
  },
  "pairs": [
    ["muddy", "rich"],
    ["wet", "locked"],
    ["ida", "mia"],
    ["tom", "ned"],
    ["duck", "queen"],
    ["frog", "banker"],
    ["fish", "thief"],
    ["likes", "sees"]
  ],
  "kinds": [
    ["muddy", "wet", "rich", "locked"],
    ["ida", "mia", "ned", "tom"],
    ["duck", "frog", "fish", "queen", "banker", "thief"],
    ["likes", "sees"]
  ],
  "hues": {
    "water": ["muddy", "wet", "duck", "frog", "fish", "water"],
    "money": ["rich", "locked", "queen", "banker", "thief", "money"]
  },
  "sent": {
    "mud-becomes-money": { "text": "muddy", "off": "0.1" },
    "the-mud-has-moved": { "text": "muddy", "patch": "1.12" },
    "one-word-too-many": { "text": "the the duck likes the bank . the bank is full of" }
  }
}
