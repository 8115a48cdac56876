// Whether the rail is ahead of the picture, and for how long. A frame repeats the values that it answers; what the rail
// has said since then is on its way. On a quick line that is over before anybody sees it, so it shows after a while.

const ASKED = "polyak-asked"; // what the rail calls out when its values have changed

const LAG = 400; // milliseconds
const LONG = 100; // letters of a text that a frame repeats

// Calls out, where the rail is on the page, what it has asked for.
export function callOut(root, values) {
  root.dispatchEvent(new CustomEvent(ASKED, { bubbles: true, detail: keyOf(values) }));
}

export class Ahead {
  // `mark` is called with true once the picture is behind, with false once it is not.
  constructor(root, mark) {
    this.mark = mark;
    this.waiting = []; // what was asked since the picture was, with the time: the oldest first
    this.onAsked = ({ target, detail }) => this.isOfPage(root, target) && this.ask(detail);
    document.addEventListener(ASKED, this.onAsked);
  }

  // A notebook may hold several pages.
  isOfPage(root, rail) {
    return root.closest(".polyak-explorer") === rail.closest(".polyak-explorer");
  }

  ask(key) {
    if (key === this.newest) return;
    this.newest = key;
    if (key === this.shown) this.waiting = [];
    else this.waiting.push([key, performance.now()]);
    this.follow();
  }

  // A frame, or a word in its place, answers these values, and with them all that was asked before.
  answer(values) {
    if (!values) return;
    this.shown = keyOf(values);
    this.waiting.splice(0, this.waiting.findLastIndex(([asked]) => asked === this.shown) + 1);
    if (this.shown !== this.newest && !this.waiting.length && this.newest) this.waiting.push([this.newest, performance.now()]);
    this.follow();
  }

  follow() {
    clearTimeout(this.timer);
    const [oldest] = this.waiting;
    const left = oldest ? oldest[1] + LAG - performance.now() : 0;
    if (oldest && left > 0) this.timer = setTimeout(() => this.follow(), left);
    const behind = Boolean(oldest) && left <= 0;
    if (behind !== this.behind) this.mark((this.behind = behind));
  }

  dispose() {
    clearTimeout(this.timer);
    document.removeEventListener(ASKED, this.onAsked);
  }
}

// The same for the same values; a frame repeats them with long texts cut.
export function keyOf(values) {
  const cut = (text) => [...text.slice(0, 2 * LONG)].slice(0, LONG).join("");
  return JSON.stringify(values, (_, value) => (typeof value === "string" ? cut(value) : value));
}
