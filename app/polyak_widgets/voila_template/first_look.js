// What is seen until the page has drawn: the still picture that the server has made, where it has, and how far the page
// has come. It lies over the page, which is laid out below it, so that nothing moves when it goes.
(() => {
  const PAUSE = 250; // milliseconds between two counts of what has come
  const OF_VOILA = /^(voila-[\w-]*|template|theme|token)$/; // parameters of an address that ask for no other picture
  // The page has drawn, or has something to say that must not be covered.
  const THERE = "#rendered_cells :is([data-drawn-serial], .pk-lost:not([hidden]), .pk-status[data-kind='error']), #missed";
  const host = document.getElementById("loading");
  const phase = document.getElementById("loading_text");
  const count = document.getElementById("loading_count");
  const still = host.hasAttribute("data-still");
  host.toggleAttribute("data-link", [...new URLSearchParams(location.search).keys()].some((name) => !OF_VOILA.test(name)));

  const say = (words, more) => {
    if (phase.textContent !== words) phase.textContent = words; // read out, so only where it has changed
    count.textContent = more;
  };
  const follow = () => {
    const files = performance.getEntriesByType("resource").filter(({ initiatorType }) => /script|link|css/.test(initiatorType));
    if (document.querySelector(".pk-stage")) say("Drawing the first curves\u2026", "");
    else if (document.getElementById("jupyter-config-data")) say("Loading the page\u2026", `${files.length} files have come`);
  };
  const clock = setInterval(follow, PAUSE);
  const end = () => {
    clearInterval(clock);
    observer.disconnect();
    host.remove();
  };
  const look = () => document.querySelector(THERE) && end();
  const observer = new MutationObserver(look);

  // What Voila calls while it runs the cells and when it has the theme and the last of them.
  window.voila_process = () => {};
  window.voila_heartbeat = () => {};
  window.display_cells = () => {
    if (!window.themeLoaded) {
      window.cellLoaded = true;
      return;
    }
    document.getElementById("rendered_cells").style.display = "";
    if (!still) end();
    else look();
  };
  window.voila_finish = window.display_cells;
  const attributeFilter = ["data-drawn-serial", "data-kind", "hidden"];
  if (still) observer.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter });
})();
