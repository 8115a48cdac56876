// The bridge to the address bar: what a link asks for goes to Python once, at the start; what is shown goes into the
// address when it has settled. Only on a page of ours: in a notebook the address belongs to JupyterLab.

const PAUSE = 500; // milliseconds: browsers refuse more than a hundred changes in half a minute
const PATIENCE = 8000; // for an answer from Python
const LONGEST = 4000; // letters; Python refuses fewer than that, in words
const OF_VOILA = /^(voila-[\w-]*|template|theme)$/; // parameters of Voila that stay; a token is not passed on

// What the address of a page of ours asks for.
export function askedByLink() {
  return "voila" in document.body.dataset ? location.search.slice(1, LONGEST) : "";
}

export class AddressBar {
  constructor(model, late) {
    this.model = model;
    this.ours = "voila" in document.body.dataset;
    this.asked = askedByLink();
    this.query = "";
    if (!this.asked) return;
    model.send({ do: "open", query: this.asked });
    this.timer = setTimeout(() => this.heard || ((this.asked = ""), late()), PATIENCE);
  }

  // A link's own state is the first that is drawn; what Python had at hand before it heard of the link is not.
  accepts(frame) {
    return !this.asked || frame.opened === this.asked;
  }

  get heard() {
    return !this.asked || this.model.get("opened") === this.asked;
  }

  // The first state is what the address says already, be it in other words.
  follow({ settled, share }) {
    if (!settled || !share) return;
    this.written ??= share.query;
    this.query = share.query;
    if (this.ours && this.query !== this.written) this.waiting ??= setTimeout(() => this.write(), PAUSE);
  }

  write() {
    this.waiting = undefined;
    if (this.query === this.written) return;
    this.written = this.query;
    const kept = [...new URLSearchParams(location.search)].filter(([name]) => OF_VOILA.test(name));
    const whole = [new URLSearchParams(kept).toString(), this.query].filter(Boolean).join("&");
    history.replaceState(history.state, "", location.pathname + (whole && `?${whole}`) + location.hash);
  }

  // What one sends to others, or "" where the state has no address.
  link() {
    return this.ours && this.query ? `${location.origin}${location.pathname}?${this.query}` : "";
  }

  dispose() {
    clearTimeout(this.timer);
    clearTimeout(this.waiting);
  }
}
