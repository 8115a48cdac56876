// The pictures that were: an entry for each change that has settled, to go back and forth. On a page of ours the entries
// are those of the browser's history, so that its Back and Forward do the same; in a notebook, whose history is
// JupyterLab's, they are a list.

import { addressOf } from "../../ground/address.js";
import { isServed, isSole, keep, keptOf, moment } from "../../ground/kept.js";

const PAUSE = 500; // milliseconds of rest before a picture is an entry; browsers refuse many entries in short time

export class Past {
  // `show` asks Python for an entry, { value, view }; `changed` hears when one can go elsewhere than before; `held` says
  // whether a hand is on a slider: what it passes on its way is no entry.
  constructor(show, changed, held) {
    this.show = show;
    this.held = held;
    this.changed = changed;
    this.passed = new Set(); // pictures on the way to an entry, which may still arrive
    window.addEventListener("pagehide", (this.onLeave = () => isServed() && keep("place", this.place)));
  }

  // A picture is on the screen. The first is what the address says already, be it in other words.
  follow({ settled, share, state }) {
    this.rest();
    this.ahead = !settled;
    if (settled && state) this.settle(state, share?.query ?? "");
    this.changed();
  }

  settle(state, query) {
    if (!this.entries) this.begin();
    const key = keyOf(state);
    this.view = state.view;
    if (this.passed.has(key)) return;
    this.passed.clear();
    const first = this.key === undefined;
    this.query ??= first || key === this.key ? query : null;
    if (first) this.writeFirst(state);
    else if (key !== this.key || query !== this.query) {
      this.waiting = () => this.write(state, query, key !== this.key);
      this.wait();
    }
  }

  writeFirst(state) {
    this.write(state, null);
    if (!this.lost) this.agree();
  }

  wait() {
    this.timer = setTimeout(() => (this.held() ? this.wait() : this.rest(true)), PAUSE);
  }

  // Of several Explorers on a page the first one has the browser's history.
  begin() {
    const Entries = isSole() ? BrowserEntries : ListedEntries;
    this.entries = new Entries((entry) => this.moved(entry));
    this.key = keyOf(this.entries.now);
  }

  // What waits to be an entry becomes one now, or is left.
  rest(now = false) {
    clearTimeout(this.timer);
    const { waiting } = this;
    this.waiting = null;
    if (now) waiting?.();
  }

  write(state, query, anew = false) {
    this.entries.write(state, query === null ? undefined : addressOf(query), anew);
    this.key = keyOf(state);
    this.query = query ?? this.query;
    this.changed();
  }

  // What was on the way to an entry does not arrive: another picture is asked for that cannot be had. The one on the
  // screen stays, and is an entry at once: the way back leads to it.
  lose() {
    this.rest(true);
    this.passed.clear();
    this.lost = true;
    this.astray ||= this.key === undefined; // the address asks for a picture that cannot be had
  }

  // No other picture is asked for any more. Where the address still does, it becomes that of the picture on the screen.
  agree() {
    this.lost = false;
    if (!this.astray || this.key === undefined) return;
    this.astray = false;
    this.write(this.entries.now, this.query);
  }

  // A change has been asked for that is not on the screen yet.
  expect() {
    this.ahead = true;
    this.changed();
  }

  // Where the picture is not that of the rail, or not there yet, that of the entry comes first.
  undo(lost = false) {
    this.rest(true);
    if (!this.entries?.now) return;
    if (this.ahead || lost) this.show(this.entries.now);
    else if (this.entries.index > 0) this.entries.go(-1);
  }

  redo() {
    this.rest(true);
    if (this.canRedo) this.entries.go(1);
  }

  get canUndo() {
    return Boolean(this.entries?.now && (this.ahead || this.waiting || this.entries.index > 0));
  }

  get canRedo() {
    return Boolean(this.entries && !this.waiting && this.entries.index < this.entries.top);
  }

  // The browser, or one of the buttons, has gone to an entry.
  moved(entry) {
    this.rest();
    this.passed.add(this.key);
    this.key = keyOf(entry);
    this.passed.delete(this.key);
    this.query = undefined;
    this.show(entry);
    this.changed();
  }

  get place() {
    return { index: this.entries?.index ?? 0, view: this.view, sole: isSole(), at: moment() };
  }

  dispose() {
    this.rest();
    this.entries?.dispose?.();
    window.removeEventListener("pagehide", this.onLeave);
  }
}

class BrowserEntries {
  constructor(moved) {
    this.top = this.now ? Math.max(this.index, keptOf("top") ?? 0) : 0;
    window.addEventListener("popstate", (this.onPop = ({ state }) => state?.polyak && moved(state.polyak)));
  }

  get now() {
    return history.state?.polyak;
  }

  get index() {
    return this.now?.index ?? 0;
  }

  write({ value, view }, address, anew) {
    const index = this.index + (anew ? 1 : 0);
    const state = { ...history.state, polyak: { index, value, view } };
    if (anew) history.pushState(state, "", address);
    else history.replaceState(state, "", address);
    if (anew) keep("top", (this.top = index));
  }

  go(step) {
    history.go(step);
  }

  dispose() {
    window.removeEventListener("popstate", this.onPop);
  }
}

class ListedEntries {
  constructor(moved) {
    Object.assign(this, { moved, list: [], index: 0 });
  }

  get now() {
    return this.list[this.index];
  }

  get top() {
    return Math.max(0, this.list.length - 1);
  }

  write(state, _, anew) {
    if (anew) this.list.splice(++this.index);
    this.list[this.index] = state;
  }

  go(step) {
    this.index += step;
    this.moved(this.now);
  }
}

// Two states are one picture if all but the projector is the same.
function keyOf(state) {
  return state && JSON.stringify([state.value, { ...state.view, present: null }]);
}
