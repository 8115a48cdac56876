// The bridge to the address bar: what a link asks for goes to Python once, at the start; what is shown goes into the
// address when it has settled. Only on a page of ours: in a notebook the address belongs to JupyterLab.

const PAUSE = 500; // milliseconds: browsers refuse more than a hundred changes in half a minute
const PATIENCE = 8000; // for an answer from Python
const LONGEST = 4000; // letters; Python refuses fewer than that, in words
const OF_VOILA = /^(voila-[\w-]*|template|theme)$/; // parameters of Voila that stay; a token is not passed on

// What the address of a page of ours asks for.
export function queryOfLink() {
  return "voila" in document.body.dataset ? location.search.slice(1, LONGEST) : "";
}

export class AddressBar {
  constructor(model, late) {
    this.model = model;
    this.ours = "voila" in document.body.dataset;
    this.linkQuery = queryOfLink();
    this.query = "";
    if (!this.linkQuery) return;
    model.send({ do: "open", query: this.linkQuery });
    this.timer = setTimeout(() => this.answered || ((this.linkQuery = ""), late()), PATIENCE);
  }

  // A link's own state is the first that is drawn; what Python had at hand before it heard of the link is not.
  accepts(frame) {
    return !this.linkQuery || frame.opened === this.linkQuery;
  }

  get answered() {
    return !this.linkQuery || this.model.get("opened") === this.linkQuery;
  }

  // The first state is what the address says already, be it in other words.
  follow({ settled, share }) {
    if (!settled || !share) return;
    this.writtenQuery ??= share.query;
    this.query = share.query;
    if (this.ours && this.query !== this.writtenQuery) this.waiting ??= setTimeout(() => this.write(), PAUSE);
  }

  write() {
    this.waiting = undefined;
    if (this.query === this.writtenQuery) return;
    this.writtenQuery = this.query;
    const ofHost = [...new URLSearchParams(location.search)].filter(([name]) => OF_VOILA.test(name));
    const whole = [new URLSearchParams(ofHost).toString(), this.query].filter(Boolean).join("&");
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
