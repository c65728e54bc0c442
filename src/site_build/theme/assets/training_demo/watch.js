// A reader watches the model learn. The build has drawn all that is there (site_build.training_demo); here it gets
// its numbers: recorded ones, which play once in the short form, or those of a training of the reader's own.

import { calm, wasSeen } from "../dom.js";

const FILM = [1500, 150]; // milliseconds before it, and of a picture
const percent = (share) => `${Math.round(100 * share)} %`;
const hundredths = (percents) => (percents / 100).toFixed(2); // what has hardly changed is not drawn anew

class WatchItLearn extends HTMLElement {
  note = "";

  connectedCallback() {
    const find = (name) => this.querySelector(name);
    this.parts = {
      told: find(".learn-told"), step: find(".learn-step"), go: find(".go"),
      texts: [...find(".learn-texts").querySelectorAll(".learn-text")].map((text) => ({
        picture: text.querySelector("svg"),
        names: [...text.querySelectorAll("text:not(.said)")].map((name) => name.textContent),
        words: [...text.querySelectorAll("rect")],
        looks: [...text.querySelectorAll("path")],
        bars: [...text.querySelectorAll(".learn-bars i")],
        numbers: [...text.querySelectorAll(".learn-bars span")],
      })),
    };
    this.parts.go.onclick = () => this.train();
    this.isShort = this.hasAttribute("compact");
    if (this.isShort) {
      this.play().catch(console.warn);
      return;
    }
    const select = find(".without");
    find(".once").onclick = () => this.train((trainer) => trainer.once());
    find(".copy").onclick = () => this.train((trainer) => this.copyLink(trainer));
    find(".again").onclick = () =>
      this.train((trainer) => {
        trainer.choose({ seed: trainer.seed + 1 });
        trainer.go(true);
      });
    select.onchange = () => this.train((trainer) => trainer.choose({ without: select.value }));
    if (location.hash.startsWith("#learn&")) this.train(() => this.scrollIntoView());
  }

  /** Show a moment of a training. */
  show({ step, texts }) {
    this.classList.add("live");
    this.dataset.step = step;
    this.parts.step.textContent = `step ${step.toLocaleString("en")} of 1,500${this.note}`;
    this.parts.texts.forEach((part, which) => {
      const { water, money, said, looks } = texts[which];
      for (const [place, word] of part.words.entries())
        word.style.setProperty("--look", hundredths(Math.max(0, ...looks.map((head) => head[place]))));
      part.looks.forEach((look, i) => {
        const [head, place] = [Math.floor(i / part.words.length), i % part.words.length];
        look.style.setProperty("--look", hundredths(looks[head]?.[place] ?? 0));
      });
      [water, money].forEach((share, i) => {
        part.bars[i].style.setProperty("--share", share);
        part.numbers[i].textContent = percent(share);
      });
      this.say(part, said === "<" ? "start" : said, looks);
    });
  }

  /** Write the word that the model says behind a text, and for those who hear it, where it looks. */
  say({ picture, names }, word, looks) {
    const said = picture.querySelector(".said");
    for (const other of picture.querySelectorAll(".said ~ .said")) other.remove();
    said.textContent = word;
    said.setAttribute("class", `said ${word}`);
    const shares = names.map((_, place) => Math.max(0, ...looks.map((head) => head[place])));
    const most = Math.max(...shares);
    const where = looks.length ? `looks most at ${names[shares.indexOf(most)]}, ${percent(most / 100)}` : "looks at no word";
    picture.ariaLabel = picture.ariaLabel.replace(/it says .*/, `it says ${word}, and ${where}`);
  }

  tell(sentence) {
    if (sentence) this.parts.told.textContent = sentence;
  }

  /** Play what was recorded, once a visit, when the reader has it in view, and until they train it themselves. */
  async play() {
    if (calm.matches || wasSeen("learn-film")) {
      this.classList.add("seen");
      return;
    }
    const answer = await fetch(new URL("film.json", import.meta.url));
    if (!answer.ok) throw new Error(`film.json: ${answer.status}`);
    const [{ moments, floors }, { begin, narrate }] = await Promise.all([answer.json(), import("./narrate.js")]);
    let [at, story] = [0, begin()];
    this.note = " of a recorded training";
    const next = () => {
      if (this.trainer) return;
      const moment = moments[at++];
      this.show(moment);
      this.tell(narrate(story, { ...moment, floors, steps: moments.at(-1).step, now: 1e4 * at }));
      if (at < moments.length) this.film = setTimeout(next, FILM[1]);
    };
    const inView = new IntersectionObserver(
      ([{ isIntersecting }]) => {
        if (!isIntersecting) return;
        inView.disconnect();
        this.film = setTimeout(next, FILM[0]);
      },
      { threshold: 0.5 },
    );
    inView.observe(this);
  }

  /** Fetch what trains, and let it do something: by default, run or pause. */
  async train(act = (trainer) => trainer.press()) {
    clearTimeout(this.film);
    this.parts.told.role = "status"; // from now on, the reader has asked for it
    if (!this.trainer) this.note = "";
    try {
      const [{ Trainer }, whole] = await Promise.all([import("./trainer.js"), this.isShort || import("./whole.js")]);
      this.trainer ??= new Trainer(this, whole.open?.(this));
      act(this.trainer);
    } catch (reason) {
      this.fail(reason);
    }
  }

  fail(reason) {
    console.warn(reason);
    this.trainer = undefined;
    this.tell("The training could not be fetched.");
  }
}

customElements.define("watch-it-learn", WatchItLearn);
