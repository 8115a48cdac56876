// Says to the server that the page is on its way, every ten seconds until it is about to open its socket.
//
// The server ends a kernel for which no page comes, as that of a robot; on a slow line the files take longer than
// that. Asking after the kernel is the sign.
(() => {
  const ARRIVE_PAUSE = 10_000; // milliseconds
  const clock = setInterval(() => {
    const config = document.getElementById("jupyter-config-data");
    if (window.jupyterapp?.widgetManager) clearInterval(clock);
    else if (config) {
      const { baseUrl, kernelId } = JSON.parse(config.textContent);
      fetch(`${baseUrl}api/kernels/${kernelId}`).catch(() => {}); // the next may get through
    }
  }, ARRIVE_PAUSE);
})();
