// Present mode: the view's own switch, Escape, full screen where it is allowed, and controls that come back on demand.

import { leaveRoom } from "./room.js";
import { isServed } from "../../ground/kept.js";

export const TYPING = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]";

const OWN_ARROWS = "input, [role=menu], [aria-haspopup], [data-uid], .pk-scroll"; // arrows mean something else there
const TURNS = { ArrowRight: 1, ArrowLeft: -1 };

export class Presenting {
  // `toggle` switches it on or off; `turn` goes to the next story, or with -1 to the one before.
  constructor(root, toggle, turn) {
    this.root = root;
    this.toggle = toggle;
    this.turn = turn;
    this.served = isServed();
    document.addEventListener("keydown", (this.onKey = (event) => this.press(event)));
    document.addEventListener("fullscreenchange", (this.onScreen = () => this.left()));
    window.addEventListener("resize", (this.onSize = () => this.fit()));
    // The words above and between the charts change with every picture; the height of a chart has no part in the sum.
    this.observer = new ResizeObserver(() => this.on && this.fit());
    this.observer.observe(root);
  }

  // In a notebook the key counts only inside of the Explorer: the rest is JupyterLab's.
  press(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || target.closest?.(TYPING)) return;
    if (!this.served && !this.whole.contains(target)) return;
    if (this.on && TURNS[key] && !target.closest?.(OWN_ARROWS)) {
      event.preventDefault();
      this.turn(TURNS[key]);
    }
    if (key === "Escape" && this.on) {
      event.preventDefault();
      this.choose(false);
    }
  }

  // What fills the screen.
  get whole() {
    return this.served ? document.documentElement : this.root.closest(".polyak-explorer") ?? this.root;
  }

  // By the reader's own hand, so the browser may allow full screen.
  choose(on) {
    this.toggle(on);
    if (on) {
      this.whole.requestFullscreen?.().catch(() => {});
    } else if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
  }

  // Escape in full screen is the browser's and reaches no page.
  left() {
    if (!document.fullscreenElement && this.on) this.toggle(false);
  }

  // Whether that changed anything.
  follow(on = false) {
    if (on === Boolean(this.on)) return false;
    this.on = on;
    this.root.toggleAttribute("data-present", on);
    if (on) return true;
    this.root.removeAttribute("data-controls");
    this.root.style.removeProperty("--pk-room");
    return true;
  }

  fit() {
    leaveRoom(this.root, this.on);
  }

  showControls() {
    this.root.toggleAttribute("data-controls");
    this.fit();
  }

  dispose() {
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("fullscreenchange", this.onScreen);
    window.removeEventListener("resize", this.onSize);
    this.observer.disconnect();
  }
}
