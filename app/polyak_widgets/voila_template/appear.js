// Sees to it that the widgets of the cells appear. Where they do not, it says so, and reloads once.
//
// Why one may not: the front end draws an output as soon as its own modules are there, and asks for the output's
// model while the models are still on their way from the kernel. It asks every 100 ms for two seconds, and then no
// more: a model that comes between the last question and the end is "widget model not found", and if all models have
// come by then ("restored"), nobody asks ever again. The gap is a tenth of a second wide, and wider where timers are
// late: on a busy machine, or in a tab in the background. Seen with jupyterlab_widgets 3.0.17, whose questions came
// with https://github.com/jupyter-widgets/ipywidgets/pull/4033; 4026 and 4040 there are about asking no more.
// So the front end is made to keep what it could not draw, as it does before all models have come, and is told again
// that they have. Other messages may be lost as well, which a new page asks for anew: hence the reload.
(() => {
  const VIEW = "application/vnd.jupyter.widget-view+json"; // what Voila calls the place of a widget
  const APPEAR_TICK = 500; // milliseconds; late ticks count as one, so that a busy page has more patience
  const APPEAR_TICKS = 40; // since the last file; where files took longer, as long again as they took
  const APPEAR_LONGEST = 240; // since the last cell; a file that has not come by then does not come
  const APPEAR_READING = 10; // ticks to read that the page reloads
  const ABSENT = "The interactive part of this page has not appeared";
  const FIRST = ": a message of its computing process was missed. The page reloads by itself now, this once.";
  const SECOND =
    ", though the page was reloaded. The server may be crowded: wait a minute and reload. If it stays away, start " +
    "the server anew, or tell whoever runs it.";
  // A page that was reloaded never reloads itself, so there is no loop, and nothing to remember.
  const first = (performance.getEntriesByType("navigation")[0]?.type ?? "reload") !== "reload";
  let wanted = []; // the models that the outputs show
  let manager, restored;
  let loading = 0; // ticks while files still come
  let waited = 0; // ticks since

  function begin() {
    const outputs = document.querySelectorAll('script[type="application/vnd.voila.cell-output+json"]');
    wanted = [...outputs].map((output) => JSON.parse(output.textContent).data?.[VIEW]?.model_id).filter(Boolean);
    const clock = setInterval(() => {
      if (isThere()) {
        clearInterval(clock);
        document.getElementById("missed")?.remove();
      } else wait();
    }, APPEAR_TICK);
  }

  function isThere() {
    const places = [...document.querySelectorAll("#rendered_cells .jp-OutputArea-output.lm-Panel")];
    const isFilled = (place) => place.firstElementChild && !place.querySelector(".jupyter-widgets-error-widget");
    const filled = places.filter(isFilled);
    return filled.length >= wanted.length && document.getElementById("rendered_cells").style.display === "";
  }

  function wait() {
    if (!manager) follow(window.jupyterapp?.widgetManager);
    else if (restored && wanted.every((model) => manager.has_model(model))) manager.restored.emit();
    if (document.readyState !== "complete" && loading < APPEAR_LONGEST) {
      loading += 1;
      return;
    }
    waited += 1;
    const patience = Math.max(APPEAR_TICKS, loading);
    if (waited === patience) say(ABSENT + (first ? FIRST : SECOND));
    if (waited === patience + APPEAR_READING && first) location.reload();
  }

  function follow(found) {
    if (!found) return;
    manager = found;
    restored = manager.restoredStatus;
    manager.restored.connect(() => (restored = true));
    Object.defineProperty(manager, "restoredStatus", { value: false });
  }

  function say(words) {
    const node = document.createElement("div");
    node.id = "missed";
    node.setAttribute("role", "alert");
    document.body.prepend(node);
    const text = document.createElement("span");
    text.textContent = words;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Reload";
    button.addEventListener("click", () => location.reload());
    node.append(text, button);
  }

  addEventListener("DOMContentLoaded", begin);
})();
