// A file of one's own: checked here for its size, then sent to Python as a message with one buffer.

import { make, setText } from "../ground/dom.js";

export function makeUpload(field, ids, send) {
  const chooser = make("input", { type: "file", hidden: true, tabindex: -1, "aria-hidden": "true" });
  const button = make("button", { id: ids.input, type: "button", class: "pk-choose", "aria-label": "Choose a file of your own", "aria-describedby": ids.described }, "Choose a file\u2026");
  const progress = make("p", { class: "pk-help", role: "status" });
  const card = make("dl", { class: "pk-facts" });
  let limits = field;
  let shownKey = "";
  button.addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", async () => {
    const [file] = chooser.files;
    chooser.value = ""; // so that the same file can be chosen again
    if (!file) return;
    const wrong = refusal(file, limits);
    setText(progress, wrong ? "" : `Reading ${file.name}\u2026`);
    control.refuse?.(wrong);
    if (!wrong) send({ do: "upload", name: file.name }, [await file.arrayBuffer()]);
  });
  const control = {
    body: [button, chooser, progress, card],
    inputs: () => [button],
    show() {},
    refuse: null,
    answered: () => setText(progress, ""),
    configure(next) {
      limits = next;
      const key = JSON.stringify(next.card);
      if (key === shownKey) return;
      shownKey = key;
      setText(progress, "");
      card.replaceChildren(...next.card.flatMap(([name, fact]) => [make("dt", {}, name), make("dd", {}, fact)]));
    },
  };
  return control;
}

// What can be said without reading the file; Python judges again.
function refusal(file, { limit }) {
  if (!file.size) return `${file.name} is empty: choose a file with a row per observation.`;
  if (file.size > limit) {
    return `${file.name} has ${(file.size / 1e6).toPrecision(2)} MB, and the page takes ${limit / 1e6} MB at most. In a notebook Explorer(data=…) takes data of any size.`;
  }
  return "";
}
