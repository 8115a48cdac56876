// The desk: what one does with the picture as a whole. Toolbar, address, copies, files, pins, present mode.

import { AddressBar } from "../../ground/address.js";
import { copyText, makeCopyField } from "../share/copying.js";
import { saveBlob, saveMessage } from "../share/download.js";
import { make, setText } from "../../ground/dom.js";
import { Keeping } from "../keep/keeping.js";
import { makeMismatch } from "../keep/mismatch.js";
import { Past } from "../keep/past.js";
import { drawPicture } from "../share/picture.js";
import { frameOf, makeQr } from "../share/qr.js";
import { makePins } from "../keep/pins.js";
import { Presenting, TYPING } from "./present.js";
import { makeQuestions } from "../story/questions.js";
import { makeToolbar } from "./toolbar.js";
import { TEXTS } from "../../ground/texts.js";

const NO_ADDRESS = TEXTS.desk.noAddress;
const PINS_STAY = TEXTS.desk.withoutPins;

export class Desk {
  // `stage` has model, root, view, plotly, send(name, more), press(name, more), goTo(name, state, more), choose(name, value), wake(), follow() for a new look, and
  // panels, a map of the cards that are drawn, and closerLook. A file has nobody to send to: then the model is "alone".
  constructor(stage) {
    this.stage = stage;
    this.frame = {};
    const { model } = stage;
    const tools = { stories: model.get("stories"), kinds: model.get("states")?.files, alone: model.get("alone"), leave: () => stage.status.node.focus() };
    this.toolbar = makeToolbar((name, detail) => this.act(name, detail), tools);
    this.copies = makeCopyField();
    this.qr = makeQr();
    this.questions = makeQuestions(model.get("stories") ?? [], (name) => this.act("story", name));
    this.pins = makePins((name, more) => stage.send(name, more), () => this.toolbar.buttons.get("pin")?.focus());
    this.notice = make("p", { class: "pk-notice", role: "status" });
    const show = ({ value, view }) => stage.goTo("go", { value, view }, { value, view });
    this.past = new Past(show, () => this.followPast(), () => stage.pressed);
    this.keeping = new Keeping((text) => this.toolbar.say(text));
    this.mismatch = makeMismatch((field) => this.pointAt(field), () => this.past.undo(true));
    this.address = new AddressBar(model, () => stage.wake());
    this.present = new Presenting(stage.root, (on) => stage.choose("present", on), (step) => this.turn(step));
    const share = this.toolbar.buttons.get("share");
    if (share) share.hidden = !this.address.ours;
    this.above = [this.toolbar.node, this.questions.node, this.copies.node, this.qr.node];
    this.below = [this.notice];
    this.listen();
  }

  listen() {
    const { model } = this.stage;
    const on = (event, react) => (model.on(event, react), () => model.off(event, react));
    this.ends = [
      on("change:status", () => this.follow()),
      on("change:view", () => this.follow()),
      on("change:notice", () => this.follow()),
      on("change:story", () => this.followStory()),
      on("change:opened", () => this.follow()),
      on("change:mismatch", () => this.follow()),
      on("msg:custom", (content, buffers) => this.receive(content, buffers)),
    ];
    document.addEventListener("keydown", (this.onKey = (event) => this.press(event)));
    this.follow();
    this.followStory();
  }

  followStory() {
    const story = this.stage.model.get("story");
    this.questions.follow(story);
    this.keeping.followStory(story);
  }

  // Undo and redo, where no text is typed, which has an undo of its own.
  press(event) {
    const { key, target } = event;
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented || target.closest?.(TYPING)) return;
    if (!this.address.ours && !this.stage.explorer?.contains(target)) return;
    const forth = key === "y" || (event.shiftKey && key.toLowerCase() === "z");
    if (!forth && key !== "z") return;
    event.preventDefault();
    this.act(forth ? "redo" : "undo");
  }

  // Why the picture is not the one that the rail asks for; nothing where it is.
  get why() {
    return this.stage.model.get("mismatch")?.text ? this.stage.model.get("mismatch") : null;
  }

  pointAt(field) {
    const { rail, root } = this.stage;
    if (this.present.on && !("controls" in root.dataset)) this.present.showControls();
    rail?.dispatchEvent(new CustomEvent("pk-point", { detail: field }));
  }

  // Until the state of a link is drawn nothing else is seen, neither in the rail.
  follow() {
    const { stage } = this;
    const { model, root } = stage;
    this.toolbar.follow(model.get("status"));
    if (this.present.follow(model.get("view")?.present)) {
      this.toolbar.showPresent(this.present.on);
      stage.follow(); // other sizes of type
    }
    const notice = model.get("notice") ?? "";
    setText(this.notice, notice);
    this.mismatch.show(this.why);
    if (this.why) this.past.lose();
    else this.past.agree();
    this.followPast();
    root.toggleAttribute("data-mismatch", Boolean(this.why));
    root.toggleAttribute("data-opening", !this.address.answered);
  }

  // What undo would do, where the picture is not that of the rail, is to go back to it.
  followPast() {
    const { canUndo, canRedo } = this.past;
    this.toolbar.followPast({ canUndo: canUndo || this.why, canRedo });
  }

  accepts(frame) {
    return this.address.accepts(frame);
  }

  show(frame) {
    const { serial, ...newer } = this.renewed ?? {};
    this.frame = serial === frame.serial ? { ...frame, ...newer } : frame;
    this.address.follow(this.frame);
    if (this.address.ours && frame.title) document.title = `${frame.title} \u2013 Polyak Explorer`;
    this.past.follow(this.frame);
    if (this.why) this.past.lose();
    this.pins.show(frame.pins);
    this.keeping.follow(frame.pins);
  }

  // Takes what is shared of a frame that is drawn already, or soon will be.
  renew({ serial, share, state }) {
    this.renewed = { serial, share, state };
    if (serial === this.frame.serial) this.show(this.frame);
  }

  act(name, detail) {
    const own = {
      undo: () => this.past.undo(Boolean(this.why)),
      redo: () => this.past.redo(),
      share: () => this.share(),
      present: () => this.present.choose(!this.present.on),
      closer: () => this.stage.closerLook.bringIntoSight(),
      controls: () => this.present.showControls(),
      export: () => this.export(detail),
      story: () => this.stage.press("story", { name: detail }),
      reset: () => this.reset(),
    };
    if (own[name]) own[name]();
    else this.stage.send(name);
  }

  reset() {
    this.stage.restore();
    this.stage.press("reset");
  }

  // Opens the story after the one that is told, or the one before; from none the first or the last.
  turn(step) {
    const names = (this.stage.model.get("stories") ?? []).map(([name]) => name);
    const at = names.indexOf(this.stage.model.get("story")?.name);
    const next = at < 0 ? (step > 0 ? 0 : names.length - 1) : (at + step + names.length) % names.length;
    if (names.length) this.act("story", names[next]);
  }

  share() {
    const link = this.address.link();
    const pins = this.frame.pins?.length ? PINS_STAY : "";
    const { trouble, note } = this.frame.share ?? {};
    const offers = [
      [TEXTS.desk.qrCode, () => this.stage.send("qr", { link })],
      [TEXTS.desk.frame, () => this.copy(frameOf(link), NO_ADDRESS, TEXTS.desk.frameCopied)],
    ];
    this.copy(link, trouble || NO_ADDRESS, TEXTS.desk.linkCopied(pins, note), offers);
  }

  async copy(text, trouble, done, offers = []) {
    if (!text) return this.toolbar.say(trouble);
    if (await copyText(text)) return this.toolbar.say(done, false, ...offers);
    this.toolbar.say("");
    this.copies.show(text);
  }

  showQr(code) {
    this.toolbar.say("");
    this.qr.show(code);
  }

  export(kind) {
    if (kind === "code") return this.copy(this.frame.share?.code, TEXTS.desk.noPicture, TEXTS.desk.codeCopied);
    if (kind === "svg" || kind === "png") return this.savePicture(kind);
    this.toolbar.say(TEXTS.desk.preparing, true);
    this.stage.send("export", { kind, link: this.address.link() });
  }

  async savePicture(kind) {
    this.toolbar.say(TEXTS.desk.drawing, true);
    try {
      const blob = await drawPicture(this.stage, this.frame, kind, this.address.link());
      saveBlob(`${this.frame.share?.file ?? "polyak"}.${kind}`, blob);
      this.toolbar.say(TEXTS.desk.pictureSaved);
    } catch (error) {
      this.toolbar.say(TEXTS.desk.notDrawn(error));
    }
  }

  // For a session that began anew: the picture that is drawn, which need not be the one that was asked for last.
  openAgain() {
    const { model } = this.stage;
    const drawn = this.past.entries?.now ?? model.get("frame").state;
    const value = this.why && drawn ? drawn.value : model.get("value");
    this.address.openAgain({ kept: { value, view: model.get("view") }, ...this.keeping.followed });
    this.follow();
    this.stage.wake();
  }

  async receive(content, buffers) {
    if (content?.anew) this.openAgain();
    if (content?.share) this.renew(content);
    if (content?.undo) this.past.expect();
    if (content?.said !== undefined) this.toolbar.say(content.said, Boolean(content.waiting), ...(content.undo ? [[TEXTS.desk.undo, () => this.act("undo")]] : []));
    if (content?.qr) this.showQr(content.qr);
    if (content?.download) {
      await saveMessage(content.download, buffers);
      this.toolbar.say(TEXTS.desk.saved(content));
    }
  }

  dispose() {
    for (const end of this.ends) end();
    document.removeEventListener("keydown", this.onKey);
    this.past.dispose();
    this.keeping.dispose();
    this.address.dispose();
    this.present.dispose();
    this.toolbar.dispose();
  }
}
