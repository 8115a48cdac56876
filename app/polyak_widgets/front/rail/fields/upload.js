// A file of one's own: checked here for its size, then sent to Python as a message with one buffer.

import { make, setText } from "../../ground/dom.js";
import { makeColumns } from "./columns.js";
import { TEXTS } from "../../ground/texts.js";

// `send` sends a message; the control also takes a file that comes another way.
export function makeUpload(field, ids, send) {
  const chooser = make("input", { type: "file", hidden: true, tabindex: -1, "aria-hidden": "true" });
  const button = make("button", { id: ids.input, type: "button", class: "pk-choose", "aria-label": TEXTS.upload.chooseTitle, "aria-describedby": ids.described }, TEXTS.upload.choose);
  const progress = make("p", { class: "pk-help", role: "status" });
  const card = make("dl", { class: "pk-facts" });
  const columns = makeColumns((content) => {
    setText(progress, TEXTS.upload.readingColumns);
    send({ do: "columns", ...content });
  });
  let limits = field;
  let shownKey = "";
  button.addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => {
    const [file] = chooser.files;
    chooser.value = ""; // so that the same file can be chosen again
    if (file) control.take(file);
  });
  const control = {
    body: [button, chooser, progress, columns.node, card],
    inputs: () => [button],
    show() {},
    refuse: null,
    refusal: "", // stays until another file comes
    answered: () => setText(progress, ""),
    async take(file) {
      control.refusal = refusal(file, limits);
      setText(progress, control.refusal ? "" : TEXTS.upload.reading(file));
      control.refuse?.(control.refusal);
      if (!control.refusal) send({ do: "upload", name: file.name }, [await file.arrayBuffer()]);
    },
    configure(next) {
      limits = next;
      columns.show(next.preview);
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
  if (!file.size) return TEXTS.upload.empty(file);
  if (file.size > limit) {
    return TEXTS.upload.tooLarge(file, limit);
  }
  return "";
}
