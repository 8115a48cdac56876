// How Python comes: the words on its way, what is wrong where it does not come, and the line to it once it is there.

import { make, setText } from "../ground/dom.js";
import { TEXTS } from "../ground/texts.js";

const KEEPER = "sw.js";
const LONGEST = 120_000; // milliseconds from the last byte to a session

export class Waking {
  constructor() {
    this.what = location.search ? TEXTS.waking.pythonForALink : TEXTS.waking.python;
    this.words = make("span");
    this.button = make("button", { type: "button", class: "pk-switch", hidden: true }, TEXTS.waking.tryAgain);
    this.node = make("div", { class: "pk-root pk-waking", role: "status" }, this.words, this.button);
    this.button.addEventListener("click", () => this.tryAgain());
    document.body.append(this.node);
    this.say(TEXTS.waking.begun(this.what));
  }

  tryAgain() {
    if (!this.files) return location.reload();
    this.line.beginAnew();
    this.begin(this.line, this.files);
  }

  begin(line, files) {
    Object.assign(this, { line, files });
    this.node.removeAttribute("data-wrong");
    this.node.hidden = false;
    this.button.hidden = true;
    this.end();
    const { worker, heard } = window.polyakEarly ?? {}; // of start.js, where all is kept
    delete window.polyakEarly;
    try {
      this.worker = worker ?? new Worker(files.worker);
    } catch {
      return this.fail(TEXTS.waking.noWorker);
    }
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = (event) => this.lose(event);
    this.watch();
    if (!worker) this.worker.postMessage({ begin: files });
    for (const event of heard ?? []) event.type === "message" ? this.hear(event.data) : this.lose(event);
  }

  // The worker has ended, or its file has not come.
  lose(event) {
    event.preventDefault();
    this.fail(event.message ? TEXTS.waking.ended : TEXTS.waking.incomplete(this.files.worker.split("?")[0]));
  }

  // Nothing is waited for without end.
  watch() {
    clearTimeout(this.clock);
    this.clock = setTimeout(() => this.fail(TEXTS.waking.neverStarted), LONGEST);
  }

  hear({ text, buffers, progress, later, alive, trouble, unkept }) {
    if (text) this.line.receive(text, buffers);
    if (progress) this.progress(progress);
    if (later) this.follow(later);
    if (unkept) this.note(TEXTS.waking.unkept[unkept]);
    if (trouble) this.fail(trouble);
    if (alive) this.wake();
  }

  // Only a problem waits for SciPy; other things come quickly.
  follow([name, ...progress]) {
    if (name === "scipy" && this.line.get("status").kind === "running") this.line.set("status", { kind: "running", text: onItsWay(TEXTS.waking.scipy, progress) });
  }

  progress(progress) {
    this.watch();
    this.say(onItsWay(this.what, progress));
  }

  wake() {
    clearTimeout(this.clock);
    this.node.hidden = true;
    document.body.dataset.alive = "";
    document.getElementById("rail").inert = false;
    this.keep();
    this.line.connect((text, buffers) => this.worker.postMessage({ text, buffers }), () => this.restart());
  }

  // The work that was cancelled ends with its worker; what Python needs is kept by the browser.
  restart() {
    delete document.body.dataset.alive;
    this.line.restart(TEXTS.waking.cancelled);
    this.what = TEXTS.waking.python;
    this.begin(this.line, this.files);
  }

  // From the second visit on no network is needed, where the browser keeps things.
  async keep() {
    const { serviceWorker } = navigator;
    const kept = await serviceWorker?.register(KEEPER).catch(() => null);
    if (!kept) return;
    const keeping = kept.installing ?? kept.active;
    const look = () => (keeping.state === "activated" ? this.note(TEXTS.waking.kept) : keeping.state === "redundant" && this.note(TEXTS.waking.unkept.page));
    keeping?.addEventListener("statechange", look);
    if (keeping) look();
  }

  note(words) {
    setText(document.querySelector(".kept"), words);
  }

  // The picture stays, and nothing pretends to follow.
  fail(why) {
    this.end();
    this.node.hidden = false;
    this.node.dataset.wrong = "";
    delete document.body.dataset.alive;
    this.line?.cut();
    document.getElementById("rail").inert = true;
    this.say(TEXTS.waking.failed(why, Boolean(this.line)));
    this.button.hidden = false;
  }

  end() {
    clearTimeout(this.clock);
    this.worker?.terminate();
    this.worker = null;
  }

  say(words) {
    setText(this.words, words);
  }
}

// `progress` is how much has come of how much; empty once all is here.
function onItsWay(what, progress) {
  if (!progress.length) return TEXTS.waking.starts(what);
  const [come, of] = progress.map((bytes) => (bytes / 1e6).toFixed(1));
  return TEXTS.waking.onItsWay(what, come, of);
}
