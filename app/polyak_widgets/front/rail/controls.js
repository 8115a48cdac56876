// The rail: groups of fields, one dictionary of values that goes both ways.

import { queryOfLink } from "../ground/address.js";
import { make } from "../ground/dom.js";
import { makeField } from "./fields.js";
import { makePresets } from "./presets.js";
import { makeSkipLink } from "./skip.js";

class Rail {
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
    this.presets = makePresets((values) => this.write(values));
    for (const [event, react] of Object.entries(this.listeners)) model.on(event, react);
    this.arrange();
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
      const heading = make("h1", { class: "pk-brand" }, "Polyak Explorer");
      this.groups = spec.map((group) => this.makeGroup(group));
      this.root.replaceChildren(makeSkipLink(this.root), heading, this.presets.node, ...this.groups);
      this.offer();
    }
    spec.forEach(({ fields }, i) => (this.groups[i].hidden = fields.every(({ hidden }) => hidden)));
    for (const field of spec.flatMap(({ fields }) => fields)) this.fields.get(field.name).configure(field);
    this.shown = {}; // new options may show an old value for the first time
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
    return make(folded ? "details" : "section", { class: "pk-group" }, ...heading, ...nodes);
  }

  // At once and for every event: the widget layer keeps one update in flight and, behind it, only the newest.
  send(name, value) {
    this.shown[name] = JSON.stringify(value);
    const before = this.model.get("value");
    this.write(following(this.model.get("usual"), before, { ...before, [name]: value }));
  }

  deliver(content, buffers) {
    this.model.send(content, undefined, buffers);
  }

  write(values) {
    this.model.set("value", { ...this.model.get("value"), ...values });
    this.model.save_changes();
  }

  offer() {
    this.presets.configure(this.model.get("presets"));
    this.presets.follow(this.model.get("value"));
  }

  // Only what differs from what stands there already is written, so nobody's typing is disturbed.
  follow() {
    const values = this.model.get("value");
    for (const [name, field] of this.fields) {
      const text = JSON.stringify(values[name]);
      if (text === undefined || text === this.shown[name]) continue;
      this.shown[name] = text;
      field.show(values[name]);
    }
    this.presets.follow(values);
  }

  complain() {
    const problems = this.model.get("problems");
    for (const [name, field] of this.fields) field.complain(problems[name]);
  }

  dispose() {
    for (const [event, react] of Object.entries(this.listeners)) this.model.off(event, react);
  }
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
