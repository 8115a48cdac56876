// Present mode: the view's own switch, a key, full screen where it is allowed, and controls that come back on demand.

const TYPING = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]";

export class Presenting {
  constructor(root, toggle) {
    this.root = root;
    this.toggle = toggle;
    this.served = "voila" in document.body.dataset;
    document.addEventListener("keydown", (this.onKey = (event) => this.press(event)));
    document.addEventListener("fullscreenchange", (this.onScreen = () => this.left()));
  }

  get page() {
    return this.root.closest(".polyak-explorer") ?? this.root;
  }

  // In a notebook the key counts only inside of the Explorer: the rest is JupyterLab's.
  press(event) {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || target.closest?.(TYPING)) return;
    if (!this.served && !this.page.contains(target)) return;
    if (key === "p" || (key === "Escape" && this.on)) {
      event.preventDefault();
      this.choose(!this.on);
    }
  }

  // By the reader's own hand, so the browser may allow full screen.
  choose(on) {
    this.toggle(on);
    if (on) {
      const whole = this.served ? document.documentElement : this.page;
      whole.requestFullscreen?.().catch(() => {});
    } else if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
  }

  // Escape in full screen is the browser's and reaches no page.
  left() {
    if (!document.fullscreenElement && this.on) this.toggle(false);
  }

  follow(on) {
    this.on = Boolean(on);
    this.page.toggleAttribute("data-present", this.on);
    if (!this.on) this.page.removeAttribute("data-controls");
  }

  showControls() {
    return this.page.toggleAttribute("data-controls");
  }

  dispose() {
    document.removeEventListener("keydown", this.onKey);
    document.removeEventListener("fullscreenchange", this.onScreen);
  }
}
