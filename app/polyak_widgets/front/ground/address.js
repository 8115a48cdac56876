// The bridge to the address bar: what a link asks for goes to Python once, at the start, with what the page had if it is
// loaded again. Only on a page of ours: in a notebook the address belongs to JupyterLab.

import { fileOf, isServed, returning } from "./kept.js";

const PATIENCE = 8000; // milliseconds, for an answer from Python
const LONGEST = 4000; // letters; Python refuses fewer than that, in words
const OF_VOILA = /^(voila-[\w-]*|template|theme)$/; // parameters of Voila that stay; a token is not passed on
const DEFAULTS = "v=1"; // what a bare address says, where there is more to bring back than it holds

// What the address of a page of ours asks for.
export function queryOfLink() {
  if (!isServed()) return "";
  const query = location.search.slice(1, LONGEST);
  return query || (Object.keys(returning()).length ? DEFAULTS : "");
}

// The address of this page with another query, and what belongs to its host.
export function addressOf(query) {
  const ofHost = [...new URLSearchParams(location.search)].filter(([name]) => OF_VOILA.test(name));
  const whole = [new URLSearchParams(ofHost).toString(), query].filter(Boolean).join("&");
  return location.pathname + (whole && `?${whole}`) + location.hash;
}

export class AddressBar {
  constructor(model, late) {
    this.model = model;
    this.ours = isServed();
    this.linkQuery = queryOfLink();
    this.query = "";
    if (!this.linkQuery) return;
    this.open({ do: "open", query: this.linkQuery, ...returning() });
    this.timer = setTimeout(() => this.answered || ((this.linkQuery = ""), late()), PATIENCE);
  }

  // A session that began anew hears what the page shows, { kept, pins, story }, be it from a link or not.
  openAgain(shown) {
    this.linkQuery = "";
    this.open({ do: "open", query: DEFAULTS, ...shown });
  }

  // Files of one's own come first, as far as the browser has them.
  async open(message) {
    const ofLink = Object.fromEntries(new URLSearchParams(this.linkQuery));
    const states = [ofLink, message.kept?.value, ...(message.pins ?? []).map(({ value }) => value)].filter((state) => state?.own);
    for (const [key, { label = "", leave_out = "" }] of new Map(states.map((state) => [state.own, state]))) {
      const file = await fileOf(key).catch(() => null);
      if (file) this.model.send({ ...file.content, again: true, label, leave_out }, undefined, [file.buffer]);
    }
    this.model.send(message);
  }

  // A link's own state is the first that is drawn; what Python had at hand before it heard of the link is not.
  accepts(frame) {
    return !this.linkQuery || frame.opened === this.linkQuery;
  }

  get answered() {
    return !this.linkQuery || this.model.get("opened") === this.linkQuery;
  }

  follow({ settled, share }) {
    if (settled && share) this.query = share.query;
  }

  // What one sends to others, or "" where the state has no address.
  link() {
    return this.ours && this.query ? `${location.origin}${location.pathname}?${this.query}` : "";
  }

  dispose() {
    clearTimeout(this.timer);
  }
}
