// The desk: what one does with the picture as a whole. Toolbar, address, copies, files, pins, present mode.

import { AddressBar } from "../ground/address.js";
import { copyText, makeCopyField } from "./copying.js";
import { saveBlob, saveMessage } from "./download.js";
import { make } from "../ground/dom.js";
import { drawPicture } from "./picture.js";
import { makePins } from "./pins.js";
import { Presenting } from "./present.js";
import { makeToolbar } from "./toolbar.js";

const NO_ADDRESS = "This picture has no address here; copy the code instead (Export).";
const PINS_STAY = " Pinned curves live in this page only and are not part of it.";

export class Desk {
  // `stage` has model, root, view, plotly, send(name, more), choose(name, value), wake(), follow() for a new look, and
  // panels, a map of the cards that are drawn, and closerLook. A file has nobody to send to: then the model is "alone".
  constructor(stage) {
    this.stage = stage;
    this.frame = {};
    const { model } = stage;
    const tools = { stories: model.get("stories"), alone: model.get("alone") };
    this.toolbar = makeToolbar((name, detail) => this.act(name, detail), tools);
    this.copies = makeCopyField();
    this.pins = makePins((name, more) => stage.send(name, more));
    this.notice = make("p", { class: "pk-notice", role: "alert" });
    this.address = new AddressBar(model, () => stage.wake());
    this.present = new Presenting(stage.root, (on) => stage.choose("present", on));
    const share = this.toolbar.buttons.get("share");
    if (share) share.hidden = !this.address.ours;
    this.above = [this.toolbar.node, this.copies.node];
    this.below = [this.notice, this.pins.node];
    this.listen();
  }

  listen() {
    const { model } = this.stage;
    const on = (event, react) => (model.on(event, react), () => model.off(event, react));
    this.ends = [
      on("change:status", () => this.follow()),
      on("change:view", () => this.follow()),
      on("change:notice", () => this.follow()),
      on("change:opened", () => this.follow()),
      on("msg:custom", (content, buffers) => this.receive(content, buffers)),
    ];
    this.follow();
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
    if (this.notice.textContent !== notice) this.notice.textContent = notice;
    root.toggleAttribute("data-opening", !this.address.answered);
  }

  accepts(frame) {
    return this.address.accepts(frame);
  }

  show(frame) {
    const { serial, share } = this.renewed ?? {};
    this.frame = serial === frame.serial ? { ...frame, share } : frame;
    this.address.follow(this.frame);
    this.pins.show(frame.pins);
  }

  // Takes what is shared of a frame that is drawn already, or soon will be.
  renew({ serial, share }) {
    this.renewed = { serial, share };
    if (serial === this.frame.serial) this.show(this.frame);
  }

  act(name, detail) {
    const own = {
      share: () => this.share(),
      present: () => this.present.choose(!this.present.on),
      controls: () => this.present.showControls(),
      export: () => this.export(detail),
      story: () => this.stage.send("story", { name: detail }),
    };
    if (own[name]) own[name]();
    else this.stage.send(name);
  }

  share() {
    const link = this.address.link();
    const pins = this.frame.pins?.length ? PINS_STAY : "";
    const { trouble, note } = this.frame.share ?? {};
    this.copy(link, trouble || NO_ADDRESS, `Link copied.${pins}${note ? ` ${note}` : ""}`);
  }

  async copy(text, trouble, done) {
    if (!text) return this.toolbar.say(trouble);
    if (await copyText(text)) return this.toolbar.say(done);
    this.toolbar.say("");
    this.copies.show(text);
  }

  export(kind) {
    if (kind === "code") return this.copy(this.frame.share?.code, "There is no picture yet.", "Code copied.");
    if (kind === "svg" || kind === "png") return this.savePicture(kind);
    this.toolbar.say("Preparing the file\u2026", true);
    this.stage.send("export", { kind, link: this.address.link() });
  }

  async savePicture(kind) {
    this.toolbar.say("Drawing the picture\u2026", true);
    try {
      const blob = await drawPicture(this.stage, this.frame, kind, this.address.link());
      saveBlob(`${this.frame.share?.file ?? "polyak"}.${kind}`, blob);
      this.toolbar.say("Picture saved.");
    } catch (error) {
      this.toolbar.say(`The picture could not be drawn: ${error.message}`);
    }
  }

  async receive(content, buffers) {
    if (content?.share) this.renew(content);
    if (content?.said !== undefined) this.toolbar.say(content.said);
    if (content?.download) {
      await saveMessage(content.download, buffers);
      this.toolbar.say(`Saved ${content.download.name}.`);
    }
  }

  dispose() {
    for (const end of this.ends) end();
    this.address.dispose();
    this.present.dispose();
    this.toolbar.dispose();
  }
}
