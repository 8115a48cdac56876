// Notices that nobody computes any more, since Voila shows nothing by itself, and says so in a banner.
// Jupyter's signals tell when the process has ended or the line is down. A served page also asks the process now
// and then, which finds one that hangs; in a notebook the process may be busy with other cells for good reason.
// A server that is not reached may be there again in a moment: then there is nothing to press, since a page that is
// reloaded without a line is lost.

import { make, setText } from "../ground/dom.js";
import { TEXTS } from "../ground/texts.js";

const ENDED = ["restarting", "autorestarting", "terminating", "dead"]; // what Jupyter calls it
const TICK = 1000; // milliseconds, as all below
const PAUSE = 3000; // from an answer to the next question
const GRACE = 2500; // a line that is back by then was not worth a word
const DOUBT = 4000; // without an answer: then the server is asked whether the process is there
const ANSWER = 6000; // of the server: a line on which nothing gets through refuses nothing
const PATIENCE = 12000; // without an answer: a crowded server, or a long step of a matrix routine, takes some
const ATTEMPTS = 2; // until something else than patience is named
const ANSWERS = 2; // the first may be that of a question which was on its way when the line went down

const LOST = TEXTS.heartbeat.lost;
const OFFLINE = TEXTS.heartbeat.offline;
const SILENT = TEXTS.heartbeat.silent;
const REFUSED = TEXTS.heartbeat.refused;
const RELOAD = TEXTS.heartbeat.toReload;
const WAIT = TEXTS.heartbeat.toWait;
const IN_ADDRESS = TEXTS.heartbeat.inAddress;
const RUN_AGAIN = TEXTS.heartbeat.runAgain;

export class Heartbeat {
  // `promise` says what a reload brings back, `restore` is called when a line that was down carries messages again.
  constructor(model, promise = () => IN_ADDRESS, restore = () => {}) {
    Object.assign(this, { model, promise, restore });
    this.served = "voila" in document.body.dataset;
    this.text = make("span");
    this.button = make("button", { type: "button", class: "pk-switch", hidden: true }, TEXTS.heartbeat.reload);
    this.button.addEventListener("click", () => location.reload());
    this.node = make("div", { class: "pk-lost", role: "alert", hidden: true }, this.text, this.button);
    this.silence = 0; // waking time since the question that waits for its answer, null if none does
    this.rest = 0; // waking time since the last answer
    this.attempts = 0; // to open a line again that Jupyter has given up
    this.unsure = 0; // answers until a line that was down is known to carry what was sent after it
    this.start();
  }

  start() {
    const { kernel } = this.model.widget_manager ?? {}; // other hosts than Jupyter may have none
    this.kernel = kernel;
    this.model.on("msg:custom", (this.onMessage = (content) => content?.pong && this.answered()));
    kernel?.statusChanged.connect((this.onStatus = (_, status) => ENDED.includes(status) && this.end()));
    kernel?.connectionStatusChanged.connect((this.onLine = (_, status) => this.lineIs(status)));
    this.unwatch = () => {
      kernel?.statusChanged.disconnect(this.onStatus);
      kernel?.connectionStatusChanged.disconnect(this.onLine);
    };
    if (!this.served) return;
    this.ask();
    this.last = performance.now();
    this.clock = setInterval(() => this.tick(), TICK);
    document.addEventListener("visibilitychange", (this.onSight = () => !document.hidden && this.ask()));
    addEventListener("offline", (this.onOffline = () => this.lineIs("offline")));
    addEventListener("online", (this.onOnline = () => this.lineDown("online")));
  }

  // The process is gone, and a new one under its name knows nothing of this page.
  end() {
    this.ended = true;
    if (this.served) this.offerReload(LOST, RELOAD);
    else this.say(LOST, RUN_AGAIN);
  }

  lineIs(status) {
    clearTimeout(this.grace);
    if (this.ended) return;
    this.line = status;
    this.unsure = ANSWERS;
    if (status === "connected") this.ask();
    else this.grace = setTimeout(() => this.lineDown(status), GRACE);
  }

  // Jupyter tries to connect again by itself, after ever longer pauses, until it calls the line "disconnected" after
  // about a minute: so the page does it, too, once the server is reached.
  async lineDown(status) {
    if (!this.served) return this.say(LOST);
    const reached = await this.inquire();
    if (this.ended || !this.isDown) return;
    if (reached && status !== "connecting") this.mend();
    else this.say(OFFLINE);
  }

  get isDown() {
    return Boolean(this.line) && this.line !== "connected";
  }

  // Whether it has worked, the next question finds out.
  mend() {
    this.attempts += 1;
    if (this.attempts > ATTEMPTS) this.offerReload(REFUSED, WAIT);
    else if (this.node.hidden) this.say(OFFLINE);
    this.kernel?.reconnect?.().catch(() => {});
  }

  ask() {
    if (this.ended || !this.model.send) return;
    this.silence = 0;
    try {
      this.model.send({ do: "ping" });
    } catch {
      // The line is closed, as while the page is left: silence will tell.
    }
  }

  // An answer is proof, whatever was said before.
  answered() {
    clearTimeout(this.grace);
    this.silence = null;
    this.rest = 0;
    this.attempts = 0;
    if (this.line) this.line = "connected";
    if (!this.ended) this.node.hidden = true;
    if (!this.unsure) return;
    this.unsure -= 1;
    if (this.unsure) this.ask();
    else this.restore();
  }

  // Only time awake and in sight counts: in the background timers are held, and so may be the answers.
  tick() {
    const now = performance.now();
    const passed = now - this.last;
    this.last = now;
    if (this.ended || document.hidden) return;
    if (passed > 3 * TICK) this.ask();
    else if (this.silence === null) this.wait(passed);
    else this.listen(passed);
  }

  wait(passed) {
    this.rest += passed;
    if (this.rest >= PAUSE) this.ask();
  }

  listen(passed) {
    const before = this.silence;
    this.silence += passed;
    if (before < DOUBT && this.silence >= DOUBT) this.doubt();
    if (this.silence < PATIENCE) return;
    if (this.node.hidden) this.offerReload(SILENT, WAIT);
    this.ask();
  }

  // Gives whether the server is reached. A process that was ended on purpose, for instance after a long pause, leaves
  // the line open: the server knows.
  async inquire() {
    const { id, serverSettings } = this.kernel ?? {};
    if (!navigator.onLine) return false;
    if (!id || !serverSettings) return true;
    try {
      const answer = await fetch(`${serverSettings.baseUrl}api/kernels/${id}`, { cache: "no-store", signal: AbortSignal.timeout(ANSWER) });
      if (answer.status === 404) this.end();
      return answer.status < 500; // a proxy says so that there is no server behind it
    } catch {
      return false;
    }
  }

  async doubt() {
    const reached = await this.inquire();
    if (this.ended || this.silence === null) return;
    this.unsure = ANSWERS;
    if (reached) return this.isDown && this.mend();
    this.line = "silent";
    this.say(OFFLINE);
  }

  say(...words) {
    this.node.hidden = false;
    this.button.hidden = true;
    setText(this.text, words.join(" "));
  }

  // The words name the button; behind them stands what it brings back.
  offerReload(...words) {
    this.say(...words, `${this.promise()}.`);
    this.button.hidden = false;
  }

  dispose() {
    clearTimeout(this.grace);
    clearInterval(this.clock);
    document.removeEventListener("visibilitychange", this.onSight);
    removeEventListener("offline", this.onOffline);
    removeEventListener("online", this.onOnline);
    this.model.off("msg:custom", this.onMessage);
    this.unwatch();
  }
}
