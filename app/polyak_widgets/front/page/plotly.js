// Finds plotly.js: at the address that our template names, else in bytes that Python sends when it is asked.

// Several widgets share one copy, so its promise hangs on the page and not on this module.
export function loadPlotly(model) {
  globalThis.__polyak_plotly ??= find(model).catch((error) => {
    delete globalThis.__polyak_plotly;
    throw error;
  });
  return globalThis.__polyak_plotly;
}

async function find(model) {
  const script = document.querySelector("script[data-plotly]"); // gone if it could not be fetched
  return (script && (await loadedBy(script))) || start(await bytesFrom(model));
}

function loadedBy(script) {
  if (globalThis.Plotly) return globalThis.Plotly;
  return new Promise((resolve) => {
    for (const end of ["load", "error"]) script.addEventListener(end, () => resolve(globalThis.Plotly));
  });
}

function bytesFrom(model) {
  const bytes = () => model.get("plotly_js");
  if (bytes()?.byteLength) return bytes();
  return new Promise((resolve) => {
    const take = () => (model.off("change:plotly_js", take), resolve(bytes()));
    model.on("change:plotly_js", take);
    model.send({ do: "plotly" });
  });
}

async function start(bytes) {
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const source = await new Response(inflated).text();
  // The wrapper of the file hands its result to `module` if there is one; a page's own require is not asked.
  // It also sets a global Plotly, which may be someone else's: put that back.
  const before = globalThis.Plotly;
  const text = ["const module = { exports: {} };\n", source, "\nexport default module.exports;\n"];
  const address = URL.createObjectURL(new Blob(text, { type: "text/javascript" }));
  try {
    return (await import(address)).default;
  } finally {
    URL.revokeObjectURL(address);
    if (before === undefined) delete globalThis.Plotly;
    else globalThis.Plotly = before;
  }
}
