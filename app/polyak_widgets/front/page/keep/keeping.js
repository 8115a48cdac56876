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
    if (!isServed()) return;
    if (isNewVisit()) ["pins", "place", "story"].forEach((name) => keep(name, null));
    this.button.addEventListener("click", () => this.forget(say));
    window.addEventListener("polyak-kept", (this.onFile = () => this.look()));
    this.look();
  }

  async look() {
    this.files = await keptFiles().catch(() => []);
    this.write();
  }

  // The pins that are drawn. None at first says nothing: those that were kept come back a little later.
  follow(pins = []) {
    const key = JSON.stringify(pins.map(({ id, value, only }) => ({ id, value, only })));
    if (!isSole() || key === (this.key ?? "[]")) return;
    this.key = key;
    this.pins = keep("pins", JSON.parse(key)) ? pins.length : 0;
    this.write();
  }

  // The story that is open, and what the reader has answered.
  followStory({ name, given } = {}) {
    const story = name ? { name, given } : null;
    const key = JSON.stringify(story);
    if (!isSole() || key === (this.story ?? "null")) return;
    this.story = key;
    this.answered = keep("story", story) && given !== undefined;
    this.write();
  }

  // What goes with the tab.
  get small() {
    return [...(this.pins ? [countOf(this.pins)] : []), ...(this.answered ? [TEXTS.keeping.answer] : [])];
  }

  // For a session that began anew.
  get followed() {
    return { pins: JSON.parse(this.key ?? "[]"), story: JSON.parse(this.story ?? "null") };
  }

  write() {
    const small = this.small.length ? [TEXTS.keeping.inThisTab(this.small)] : [];
    const files = this.files.length ? [TEXTS.keeping.forADay(this.files)] : [];
    this.node.hidden = !(small.length + files.length) || !isSole();
    setText(this.words, TEXTS.keeping.kept([...small, ...files]));
  }

  // For the banner of a process that is gone.
  get promise() {
    if (!isSole()) return TEXTS.keeping.lost;
    const more = [...this.small, ...this.files];
    if (!more.length) return TEXTS.keeping.settings;
    return TEXTS.keeping.settingsAndMore(more).replace(/, (?=[^,]* are)/, " and ");
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

function countOf(pins) {
  return pins === 1 ? "1 pin" : `${pins} pins`;
}
