// The one iteration that all charts point at. Charts subscribe and are called with k whenever it moves; the bar
// below them moves it, and so does a pointer over any chart.

import { clamp } from "../../ground/scale.js";

const PLAY_SECONDS = 8; // a whole run takes so long, a short one less
const PLAY_PAUSE = 60; // milliseconds at least between two steps

export class Cursor {
  constructor() {
    this.k = null; // nothing is known yet
    this.wanted = null; // where the reader has put it; a shorter run only holds it back
    this.last = 0;
    this.stops = null; // iterations whose numbers every curve has, null if that is all of them
    this.listeners = new Set();
  }

  subscribe(react) {
    this.listeners.add(react);
    return () => this.listeners.delete(react);
  }

  // A frame says how far k may go, where it may stop, and where it begins.
  follow({ last = 0, stops = null, start = 0 } = {}) {
    this.last = last;
    this.stops = stops;
    this.move(this.wanted ?? start);
  }

  set(k) {
    if (!Number.isFinite(k)) return;
    this.wanted = clamp(k, 0, this.last);
    this.move(this.wanted);
  }

  move(wanted) {
    const k = this.nearest(clamp(wanted, 0, this.last));
    if (k === this.k && this.lastAnnounced === this.last) return;
    this.k = k;
    this.lastAnnounced = this.last;
    for (const react of this.listeners) react(k);
  }

  nearest(k) {
    if (!this.stops) return Math.round(k);
    const i = this.rank(k);
    const [before, after] = [this.stops[i - 1] ?? this.stops[0], this.stops[i] ?? this.stops.at(-1)];
    return k - before < after - k ? before : after;
  }

  // Counts the stops before k.
  rank(k) {
    let [low, high] = [0, this.stops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.stops[middle] < k) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Moves so many stops on or back.
  step(count) {
    if (!this.stops) return this.set(this.k + count);
    this.set(this.stops[clamp(this.rank(this.k) + count, 0, this.stops.length - 1)]);
  }

  // Moves a tenth of the run back or on.
  page(direction) {
    this.set(this.k + direction * Math.max(1, Math.round(this.last / 10)));
  }

  get playing() {
    return this.timer !== undefined;
  }

  play() {
    if (this.k >= this.last) this.set(0);
    const count = this.stops?.length ?? this.last + 1;
    const each = Math.max(1, Math.round((count * PLAY_PAUSE) / (1000 * PLAY_SECONDS)));
    this.timer = setInterval(() => {
      this.step(each);
      if (this.k >= this.last) this.pause();
    }, PLAY_PAUSE);
    this.tell();
  }

  pause() {
    if (!this.playing) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.tell();
  }

  tell() {
    for (const react of this.listeners) react(this.k);
  }

  dispose() {
    clearInterval(this.timer);
    this.listeners.clear();
  }
}
