// The buttons above the charts. Each sends its name to Python; what it does stands in actions.py.

import { make } from "./dom.js";

const BUTTONS = [
  ["cancel", "Cancel", "End the runs where they are"],
  ["reset", "Reset", "All settings as they were at first"],
];

export function makeToolbar(send) {
  const node = make("div", { class: "pk-toolbar", role: "toolbar", "aria-label": "Page" });
  const buttons = new Map();
  for (const [name, label, title] of BUTTONS) {
    const button = make("button", { type: "button", class: "pk-switch", title }, label);
    button.addEventListener("click", () => send(name));
    buttons.set(name, button);
    node.append(button);
  }
  return {
    node,
    // Only what is running can be cancelled.
    follow(status) {
      buttons.get("cancel").disabled = status?.kind !== "running";
    },
  };
}
