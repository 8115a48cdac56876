// Ends the page's process when the page is left for good, so that a reload leaves none behind for ten minutes.
//
// Voila's own listener ends it before the page knows whether it stays: a page that browsers keep for their button
// Back would come back without its process. So that listener is never reached, and what is done here waits for
// "pagehide", which says whether the page is kept; then the server ends the process after its usual ten minutes.
// A tab in the background is not left.
(() => {
  addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), { capture: true });
  addEventListener("pagehide", ({ persisted }) => {
    const config = document.getElementById("jupyter-config-data");
    const token = document.cookie.match(/\b_xsrf=([^;]*)/)?.[1]; // where the server gives none, it would refuse
    if (persisted || !config || !token) return;
    const { baseUrl, kernelId } = JSON.parse(config.textContent);
    const form = new FormData();
    form.append("_xsrf", token);
    navigator.sendBeacon(`${baseUrl}voila/api/shutdown/${kernelId}`, form);
  });
})();
