// Says what this browser keeps of the page over a reload and a lost process, and lets go of it.

import { make, setText } from "../ground/dom.js";
import { forgetAll, isNewVisit, isServed, isSole, keep, keptFiles } from "../ground/kept.js";

export class Keeping {
  // `say` tells what has been done.
  constructor(say) {
    this.words = make("span");
    this.button = make("button", { type: "button", class: "pk-switch" }, "Forget");
    this.node = make("p", { class: "pk-keeping pk-quiet", hidden: true }, this.words, this.button);
    this.files = [];
    this.pins = 0;
    if (!isServed()) return;
    if (isNewVisit()) ["pins", "place"].forEach((name) => keep(name, null));
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

  write() {
    const pins = this.pins ? [`${countOf(this.pins)} until this tab is closed`] : [];
    const files = this.files.length ? [`${this.files.join(", ")} for a day`] : [];
    this.node.hidden = !(pins.length + files.length) || !isSole();
    setText(this.words, `This browser keeps ${[...pins, ...files].join(", and ")}.`);
  }

  // For the banner of a process that is gone.
  get promise() {
    if (!isSole()) return "what was changed here is lost";
    const more = [...(this.pins ? [countOf(this.pins)] : []), ...this.files];
    if (!more.length) return "your settings are kept";
    return `your settings, ${more.join(", ")} are kept in this browser`.replace(/, (?=[^,]* are)/, " and ");
  }

  async forget(say) {
    await forgetAll().catch(() => null);
    [this.files, this.pins] = [[], 0];
    this.write();
    say("Forgotten: a reload now loses pins and files of your own.");
  }

  dispose() {
    window.removeEventListener("polyak-kept", this.onFile);
  }
}

function countOf(pins) {
  return pins === 1 ? "1 pin" : `${pins} pins`;
}
