// A question of a notebook: the card of a story, alone.

import { makeStory } from "./story.js";

function render({ model, el }) {
  const story = makeStory((name, more) => model.send({ do: name, ...more }));
  const show = () => story.show(model.get("story"));
  el.classList.add("pk-root", "pk-question-alone");
  el.dataset.lmSuppressShortcuts = ""; // keys pressed here are not a notebook's commands
  el.replaceChildren(story.node);
  show();
  model.on("change:story", show);
  return () => model.off("change:story", show);
}

export default { render };
