// A scene that is made of others: each state of the page is one of a part, which draws it and answers to the reader.

export default class Parts {
  /** @param parts the name of each state, with its scene and the state of that scene */
  constructor(parts) {
    this.parts = parts;
    for (const state in parts) this[state] = () => {};
    this.enter(Object.keys(parts)[0]);
  }

  enter(state) {
    this.state = state;
    const [scene, name] = this.parts[state] ?? [];
    scene?.enter?.(name);
  }

  /** All scenes that are there yet. */
  get scenes() {
    return [...new Set(Object.values(this.parts).map((part) => part?.[0]))].filter(Boolean);
  }

  get scene() {
    return this.parts[this.state]?.[0] ?? this.scenes[0];
  }

  reset() {
    for (const scene of this.scenes) scene.reset();
    this.enter(this.state);
  }

  get words() {
    return this.scene.words;
  }

  get changed() {
    return Boolean(this.scene.changed);
  }

  get tensors() {
    return Object.assign({}, ...this.scenes.map((scene) => scene.tensors));
  }

  choices(place) {
    return this.scene.choices(place);
  }

  swap(place, word) {
    this.scene.swap(place, word);
  }

  press(what) {
    return this.scene.press(what);
  }

  pressed(output, place) {
    return this.scene.pressed?.(output, place);
  }

  lit(output) {
    return this.scene.lit?.(output);
  }

  step(state, across, down) {
    return this.scene.step(this.parts[state][1], across, down);
  }

  drag(hold, x, y) {
    this.scene.drag(hold, x, y);
  }

  nudge(hold, across, down) {
    this.scene.nudge(hold, across, down);
  }

  told(state) {
    const [scene, name] = this.parts[state] ?? [];
    return scene ? scene.told(name) : "";
  }

  layout(state, W, H, isStill) {
    const [scene, name] = this.parts[state] ?? [];
    return scene ? scene.layout(name, W, H, isStill) : {};
  }
}
