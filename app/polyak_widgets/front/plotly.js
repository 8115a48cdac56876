// Starts plotly.js from the bytes that came with the widget: no request leaves the page.

// Several widgets share one copy, so its promise hangs on the page and not on this module.
export function loadPlotly(bytes) {
  globalThis.__polyak_plotly ??= start(bytes).catch((error) => {
    delete globalThis.__polyak_plotly;
    throw error;
  });
  return globalThis.__polyak_plotly;
}

async function start(bytes) {
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const source = await new Response(inflated).text();
  // The wrapper of the file hands its result to `module` if there is one; a page's own require is not asked.
  // It also sets a global Plotly, which may be someone else's: put that back.
  const found = globalThis.Plotly;
  const text = ["const module = { exports: {} };\n", source, "\nexport default module.exports;\n"];
  const address = URL.createObjectURL(new Blob(text, { type: "text/javascript" }));
  try {
    return (await import(address)).default;
  } finally {
    URL.revokeObjectURL(address);
    if (found === undefined) delete globalThis.Plotly;
    else globalThis.Plotly = found;
  }
}
