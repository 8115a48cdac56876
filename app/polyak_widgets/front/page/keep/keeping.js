// Says what this browser keeps of the page over a reload and a lost process, and lets go of it.

import { make, setText } from "../../ground/dom.js";
import { forgetAll, isNewVisit, isServed, isSole, keep, keptFiles } from "../../ground/kept.js";
import { TEXTS } from "../../ground/texts.js";

export class Keeping {
  // `say` tells what has been done.
  constructor(say) {
    this.words = make("span");
    this.button = make("button", { type: "button", class: "pk-switch" }, TEXTS.keeping.forget);
    this.node = make("p", { class: "pk-keeping pk-quiet", hidden: true }, this.words, this.button);
    this.files = [];
    this.pins = 0;
    this.answered = false;
    this.lost = new Map(); // what this browser does not keep, in words: its storage is full or switched off
    if (!isServed()) return;
    if (isNewVisit()) ["pins", "place", "story"].forEach((name) => keep(name, null));
    this.button.addEventListener("click", () => this.forget(say));
    window.addEventListener("polyak-kept", (this.onFile = ({ detail }) => this.look(detail)));
    this.look();
  }

  // A file that has come may be none of those that are kept.
  async look(name) {
    this.files = await keptFiles().catch(() => []);
    if (name && !this.files.includes(name)) this.lost.set(name, name);
    else this.lost.delete(name);
    this.write();
  }

  // The pins that are drawn. None at first says nothing: those that were kept come back a little later.
  follow(pins = []) {
    const key = JSON.stringify(pins.map(({ id, value, only }) => ({ id, value, only })));
    if (!isSole() || key === (this.key ?? "[]")) return;
    this.key = key;
    this.pins = this.attempt("pins", JSON.parse(key), pins.length ? TEXTS.keeping.pins(pins.length) : "") ? pins.length : 0;
    this.write();
  }

  // The story that is open, and what the reader has answered.
  followStory({ name, given } = {}) {
    const story = name ? { name, given } : null;
    const key = JSON.stringify(story);
    if (!isSole() || key === (this.story ?? "null")) return;
    this.story = key;
    const answer = given === undefined ? "" : TEXTS.keeping.answer;
    this.answered = this.attempt("story", story, answer) && Boolean(answer);
    this.write();
  }

  // Whether it is kept; `words` say what is lost else, if anything.
  attempt(name, value, words) {
    const isKept = keep(name, value);
    if (isKept || !words) this.lost.delete(name);
    else this.lost.set(name, words);
    return isKept;
  }

  // What goes with the tab.
  get small() {
    return [...(this.pins ? [TEXTS.keeping.pins(this.pins)] : []), ...(this.answered ? [TEXTS.keeping.answer] : [])];
  }

  // For a session that began anew.
  get followed() {
    return { pins: JSON.parse(this.key ?? "[]"), story: JSON.parse(this.story ?? "null") };
  }

  write() {
    const small = this.small.length ? [TEXTS.keeping.inThisTab(this.small)] : [];
    const files = this.files.length ? [TEXTS.keeping.forADay(this.files)] : [];
    const kept = [...small, ...files];
    const lost = [...this.lost.values()];
    this.node.hidden = !(kept.length + lost.length) || !isSole();
    this.button.hidden = !kept.length;
    setText(this.words, [...(kept.length ? [TEXTS.keeping.kept(kept)] : []), ...(lost.length ? [TEXTS.keeping.notKept(lost)] : [])].join(" "));
  }

  // For the banner of a process that is gone.
  get promise() {
    if (!isSole()) return TEXTS.keeping.lost;
    const more = [...this.small, ...this.files];
    if (!more.length) return TEXTS.keeping.settings;
    return TEXTS.keeping.settingsAndMore(more);
  }

  async forget(say) {
    await forgetAll().catch(() => null);
    [this.files, this.pins, this.answered] = [[], 0, false];
    this.write();
    say(TEXTS.keeping.forgotten);
  }

  dispose() {
    window.removeEventListener("polyak-kept", this.onFile);
  }
}
