// The rail: groups of fields, one dictionary of values that goes both ways.

import { callOut } from "../ground/ahead.js";
import { queryOfLink } from "../ground/address.js";
import { make, setText } from "../ground/dom.js";
import { tied } from "../ground/format.js";
import { isSole, keep, keepFile } from "../ground/kept.js";
import { release } from "../ground/model.js";
import { makeTerm } from "../ground/term.js";
import { watchDrops } from "./drop.js";
import { Explainer } from "./explain.js";
import { makeField } from "./fields/fields.js";
import { makePresets } from "./presets.js";
import { makeSkipLink } from "./skip.js";
import { makeStrip } from "./strip.js";
import { TEXTS } from "../ground/texts.js";

export class Rail {
  constructor(model, root) {
    this.model = model;
    this.root = root;
    root.classList.add("pk-root", "pk-controls");
    root.toggleAttribute("data-linked", Boolean(queryOfLink())); // not seen before it has what the link asks for
    root.dataset.lmSuppressShortcuts = ""; // an arrow key on a slider shall not walk through a notebook's cells
    this.listeners = {
      "change:spec": () => this.arrange(),
      "change:value": () => this.follow(),
      "change:problems": () => this.complain(),
      "change:presets": () => this.offer(),
    };
    this.presets = makePresets((values) => this.assume(values));
    this.explainer = new Explainer(root, () => model.get("guide") ?? {});
    this.strip = makeStrip(root);
    for (const [event, react] of Object.entries(this.listeners)) model.on(event, react);
    root.addEventListener("pk-point", ({ detail }) => this.point(detail));
    root.addEventListener("pk-assume", ({ detail }) => this.assume(detail));
    root.addEventListener("pk-release", () => release(this.model));
    window.addEventListener("pagehide", (this.onLeave = () => isSole() && keep("value", model.get("value"))));
    this.arrange();
    this.unwatchDrops = watchDrops(root, (file) => this.takeFile(file));
  }

  // A change of spec keeps the elements as long as the same fields stand in the same groups: rebuilding them
  // would take the slider out of the hand that drags it.
  arrange() {
    const spec = this.model.get("spec");
    const shape = JSON.stringify(spec.map(({ title, fields }) => [title, fields.map(({ name, kind }) => [name, kind])]));
    if (shape !== this.shape) {
      this.shape = shape;
      this.fields = new Map();
      this.shown = {};
      const few = this.model.get("guide")?.intro === "";
      const heading = few ? [] : [make("h1", { class: "pk-brand" }, TEXTS.controls.title)];
      this.groups = spec.map((group) => this.makeGroup(group));
      this.strip.fill(this.presets.node, ...this.groups);
      this.strip.showAll(few); // few controls, as a notebook may ask for, need no button for more
      this.root.replaceChildren(makeSkipLink(this.root), ...heading, ...makeIntro(this.model.get("guide")), this.strip.node);
    }
    spec.forEach(({ fields, changes }, i) => {
      this.groups[i].hidden = fields.every(({ hidden }) => hidden);
      this.mark(this.groups[i].querySelector(".pk-changes"), changes ?? []);
    });
    for (const field of spec.flatMap(({ fields }) => fields)) {
      this.fields.get(field.name).configure(field);
      if (field.kind === "upload") this.keepFile(field);
    }
    this.shown = {}; // new options may show an old value for the first time
    this.offer();
    this.follow();
    this.complain();
  }

  makeGroup({ title, folded, fields }) {
    const nodes = fields.map((field) => {
      const send = field.kind === "upload" ? (...message) => this.deliver(...message) : (value) => this.send(field.name, value);
      const made = makeField(field, send);
      this.fields.set(field.name, made);
      return made.node;
    });
    // A group of one field of the same name needs no second heading.
    const heading = title && (folded || title !== fields[0]?.label) ? [make(folded ? "summary" : "h2", { class: "pk-group-title" }, title)] : [];
    if (folded) heading[0].append(make("span", { class: "pk-changes" }));
    return make(folded ? "details" : "section", { class: "pk-group" }, ...heading, ...nodes);
  }

  // A folded group shows that it holds changes, and which.
  mark(node, changes) {
    if (node) setText(node, changes.map((words) => tied(words)).join(" \u00b7 "));
  }

  // What stands half typed in other fields goes first: a quick hand on the next control takes nothing back.
  finish(name) {
    for (const [other, field] of this.fields) if (other !== name) field.finish();
  }

  // At once and for every event: the widget layer keeps one update in flight and, behind it, only the newest.
  send(name, value) {
    this.finish(name);
    this.shown[name] = JSON.stringify(value);
    const before = this.model.get("value");
    this.write(following(this.model.get("usual"), before, { ...before, [name]: value }));
  }

  deliver(content, buffers) {
    this.finish();
    if (content.do === "upload") this.file = { content, buffer: buffers[0] };
    this.model.send(content, undefined, buffers);
  }

  // A dropped file is the same as one that was chosen; what is said of it is in sight.
  takeFile(file) {
    const field = this.fields.get("upload");
    const group = field?.node.closest("details");
    if (group) group.open = true;
    field?.node.scrollIntoView({ block: "nearest" });
    field?.take(file);
  }

  // Leads the reader to a field, wherever it is folded away.
  point(name) {
    const field = this.fields.get(name);
    if (field && !field.node.closest(".pk-group").checkVisibility()) this.strip.unfold();
    field?.point();
  }

  // Values from elsewhere: a preset, or a button of the stage.
  assume(values) {
    this.finish();
    this.write(values);
  }

  write(values) {
    this.model.set("value", { ...this.model.get("value"), ...values });
    this.model.save_changes();
  }

  // Why data sets cannot be had, by their names.
  get unavailable() {
    const data = this.model.get("spec").flatMap(({ fields }) => fields).find(({ name }) => name === "data");
    return Object.fromEntries((data?.options ?? []).filter(([, , why]) => why).map(([value, , why]) => [value, why]));
  }

  offer() {
    this.presets.configure(this.model.get("presets"), this.unavailable);
    this.presets.follow(this.model.get("value"));
  }

  // Only what differs from what stands there already is written, so nobody's typing is disturbed.
  follow() {
    const values = this.model.get("value");
    callOut(this.root, values);
    for (const [name, field] of this.fields) {
      const text = JSON.stringify(values[name]);
      if (text === undefined || text === this.shown[name]) continue;
      this.shown[name] = text;
      field.show(values[name]);
    }
    this.presets.follow(values);
  }

  // A file has been taken, perhaps by other columns than at first: Python names it by its sha256.
  keepFile({ own }) {
    if (own === this.own) return;
    this.own = own;
    if (own && this.file && isSole()) keepFile(own, this.file.content, this.file.buffer);
  }

  complain() {
    const problems = this.model.get("problems");
    for (const [name, field] of this.fields) field.complain(problems[name]);
  }

  dispose() {
    this.strip.dispose();
    this.unwatchDrops();
    for (const [event, react] of Object.entries(this.listeners)) this.model.off(event, react);
    this.explainer.dispose();
    window.removeEventListener("pagehide", this.onLeave);
  }
}

// What the page is for, in one line, and where to read on.
function makeIntro(guide) {
  if (!guide?.intro) return [];
  const paper = make("a", { href: guide.paper, target: "_blank", rel: "noopener" }, TEXTS.controls.paper);
  const help = makeTerm(TEXTS.controls.help, ["help"]);
  const notation = makeTerm(TEXTS.controls.notation, ["notation"]);
  return [make("p", { class: "pk-intro" }, guide.intro, " ", make("span", {}, paper, " \u00b7 ", help, " \u00b7 ", notation))];
}

// A value that nobody has set follows what it depends on: the weight that is usual for a problem and its data.
function following(rules, before, after) {
  const followed = { ...after };
  for (const { name, by, table, otherwise } of rules ?? []) {
    const [old, now] = [before, after].map((values) => table[by.map((each) => values[each]).join(" ")] ?? otherwise);
    if (after[name] === before[name] && before[name] === old) followed[name] = now;
  }
  return followed;
}

function render({ model, el }) {
  const rail = new Rail(model, el);
  return () => rail.dispose();
}

export default { render };
