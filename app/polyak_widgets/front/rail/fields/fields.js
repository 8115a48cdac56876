// The kinds of control. Each returns { body, inputs(), configure(field), show(value) }, has what stands at its label in
// `beside`, and reports through `send`; where one types, `finish()` reports what is typed without waiting for more.

import { freshId, make, setAttributes, setText, writeKeepingCaret } from "../../ground/dom.js";
import { makeTerm } from "../../ground/term.js";
import { makeMethods } from "./methods.js";
import { makeSegments } from "./segments.js";
import { makeSlider } from "./slider.js";
import { makeTyping } from "../../ground/typing.js";
import { makeUpload } from "./upload.js";

const KINDS = { choice: makeChoice, slider: makeSlider, segments: makeSegments, methods: makeMethods, text: makeText, upload: makeUpload };

// Makes a control in its frame: its name, which explains it, what is wrong with it, and why it does not apply.
export function makeField(field, send) {
  const ids = { input: freshId("input"), help: freshId("help"), problem: freshId("problem"), reason: freshId("why"), label: freshId("label") };
  ids.described = `${ids.problem} ${ids.reason} ${ids.help}`; // for the inputs of the control
  const control = KINDS[field.kind](field, ids, send);
  const help = make("p", { id: ids.help, hidden: true }); // its words are in the card that its name opens
  const reason = make("p", { id: ids.reason, class: "pk-help" });
  const problem = make("p", { id: ids.problem, class: "pk-problem", "aria-live": "polite" });
  const group = field.kind === "methods";
  const explained = Boolean(field.help || field.about?.length);
  const apart = group || explained || field.kind === "segments"; // its name is no label of one input
  const label = make(group ? "legend" : explained ? "div" : "label", { class: "pk-label-text", for: apart ? null : ids.input });
  const unit = make("span", { class: "pk-unit" });
  const node = make(group ? "fieldset" : "div", { class: `pk-field pk-kind-${field.kind}`, "data-field": field.name });
  const name = explained ? makeTerm("", field.about ?? [], { id: ids.label }) : make("span");
  label.append(name);
  if (group) label.append(make("span", { class: "pk-beside" }, ...(control.beside ?? [])));
  const line = group ? [label] : [make("div", { class: "pk-label-line" }, label, unit, ...(control.beside ?? []))];
  node.append(...line, help, ...control.body, reason, problem);
  const unfold = () => node.closest("details")?.setAttribute("open", "");
  const complain = (message) => {
    if (message && message !== problem.textContent) unfold(); // nobody sees what is wrong in a folded group
    setText(problem, message ?? "");
    node.classList.toggle("pk-wrong", Boolean(message));
    for (const input of control.inputs()) setAttributes(input, { "aria-invalid": message ? "true" : null });
  };
  control.refuse = complain;
  const named = explained && control.inputs().find((input) => input.id === ids.input && !input.ariaLabel);
  if (named) named.setAttribute("aria-labelledby", ids.label);
  return {
    node,
    show: control.show,
    take: control.take,
    finish: () => control.finish?.(),
    configure(next) {
      setText(name, next.label);
      setText(unit, next.unit ?? "");
      setText(help, next.help ?? "");
      if (explained) setAttributes(name, { "data-words": next.help, "data-explains": (next.about ?? []).join(" ") });
      setText(reason, next.disabled || next.note || "");
      node.hidden = Boolean(next.hidden);
      node.classList.toggle("pk-off", Boolean(next.disabled));
      control.configure(next);
      for (const input of control.inputs()) input.disabled = Boolean(next.disabled);
    },
    complain(message) {
      control.answered?.();
      complain(message || control.refusal);
    },
    // Leads the reader here; with a file there is nothing to do but to choose one.
    point() {
      const [input] = control.inputs();
      unfold();
      input?.focus();
      if (field.kind === "upload") input?.click();
    },
  };
}

function makeChoice(field, ids, send) {
  const select = make("select", { id: ids.input, class: "pk-select", "aria-describedby": ids.described });
  let options = [];
  let shownKey = "";
  // A <select> knows strings only; the place in the list finds the value again.
  select.addEventListener("input", () => send(options[select.selectedIndex][0]));
  const show = (value) => {
    select.selectedIndex = options.findIndex(([option]) => option === value);
  };
  return {
    body: [select],
    inputs: () => [select],
    show,
    configure(next) {
      options = next.options ?? [];
      const key = JSON.stringify(options);
      if (key === shownKey) return;
      shownKey = key;
      select.replaceChildren(...options.map(makeOption));
    },
  };
}

// An option that is not for this problem says so and cannot be chosen.
function makeOption([value, label, why]) {
  return make("option", { value: String(value), disabled: Boolean(why) }, why ? `${label} (${why})` : label);
}

function makeText(field, ids, send) {
  const input = make("input", { id: ids.input, type: "text", class: "pk-text", "aria-describedby": ids.described });
  setAttributes(input, { autocomplete: "off", spellcheck: "false" });
  const typing = makeTyping(input, send);
  return {
    body: [input],
    inputs: () => [input],
    configure() {},
    finish: typing.finish,
    show: (value) => typing.going || writeKeepingCaret(input, String(value ?? "")),
  };
}
