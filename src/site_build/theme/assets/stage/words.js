// The words of the course, with what each has of water, money, acts and describes.

export const EMBEDDING = {
  the: [0, 0, 0, 1],
  duck: [3, 0, 1, 0],
  frog: [2, 0, 1, 0],
  sailor: [2, 0, 1, 0],
  banker: [0, 3, 1, 0],
  thief: [0, 2, 1, 0],
  cat: [0, 0, 1, 0],
  likes: [0, 0, 2, 0],
  sees: [0, 0, 2, 0],
  soaks: [3, 0, 2, 0],
  pays: [0, 3, 2, 0],
  muddy: [3, 0, 0, 3],
  wet: [3, 0, 0, 3],
  rich: [0, 3, 0, 3],
  golden: [0, 3, 0, 3],
  old: [0, 0, 0, 3],
  bank: [1, 1, 0, 0],
  money: [0, 3, 0, 0],
  gold: [0, 3, 0, 0],
  rain: [3, 0, 0, 0],
  dry: [-3, 0, 0, 3],
};
/** Subjects, verbs and adjectives: those of one list can be swapped. */
export const SLOTS = [
  ["duck", "frog", "sailor", "banker", "thief", "cat"],
  ["likes", "sees", "soaks", "pays"],
  ["muddy", "wet", "rich", "golden", "old", "dry"],
];
