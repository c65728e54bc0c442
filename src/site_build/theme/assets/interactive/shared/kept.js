// What a cache takes. The page has this function in Python, and tests/site_build/interactive/test_attention.py holds them
// equal.

/** Bytes for so many words: the numbers of one word in one layer, in all layers, two bytes each. */
export const bytesOf = ([numbers, layers], words) => numbers * layers * 2 * words;
