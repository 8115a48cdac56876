// The first script of the page: it says what is missing where this browser or this host cannot show more than the still
// picture, and starts the rest. In the words of old browsers, so that they can say it.
(function () {
  var script = document.currentScript;
  var place = document.getElementById("loading_text");
  var page = document.createElement("script");
  document.querySelector(".late").remove();
  document.getElementById("loading").toggleAttribute("data-known", isKnown());
  document.getElementById("loading").toggleAttribute("data-link", location.search.length > 1);

  function say(words) {
    place.textContent = words;
  }

  function missing() {
    if (location.protocol === "file:") {
      return "This page has to come from a server of files; in its folder run: python -m http.server. Then open http://localhost:8000.";
    }
    if (!window.WebAssembly || !window.Worker || !WebAssembly.instantiateStreaming) {
      return "This browser has no WebAssembly, which the page computes with; what you see is a still picture. Use a browser of 2024 or later.";
    }
    if (!window.CSS || !CSS.supports("color", "light-dark(red, red)") || !window.DecompressionStream) {
      return "This browser is too old for this page; what you see is a still picture. Use a browser of 2024 or later.";
    }
    return "";
  }

  // All is kept by this browser, so that Python can come while the page is still made; what its worker says until then waits.
  function wake() {
    var files = JSON.parse(document.getElementById("files").textContent);
    try {
      var early = { worker: new Worker(files.worker), heard: [] };
      early.worker.onmessage = early.worker.onerror = function (event) {
        early.heard.push(event);
      };
      early.worker.postMessage({ begin: files });
      window.polyakEarly = early;
    } catch (error) {
      return; // the page tries it again, and says why it cannot
    }
  }

  var why = missing();
  if (why) {
    say(why);
    return;
  }
  window.addEventListener("error", function (event) {
    if (document.querySelector("[data-drawn-serial]")) return;
    var file = event.target && (event.target.src || event.target.href);
    say(file ? "The host did not send " + file.split("?")[0].split("/").pop() + ", or this browser blocks it: copy the whole folder there, and allow this page its scripts." : "This page could not start (" + event.message + ").");
  }, true);
  if (navigator.serviceWorker && navigator.serviceWorker.controller) wake();
  page.src = script.getAttribute("data-page");
  document.head.appendChild(page);
})();
