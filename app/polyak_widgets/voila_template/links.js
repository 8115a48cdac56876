// A served notebook stands beside other notebooks, but not beside the documents in docs/: a link to one would lead
// nowhere, so it becomes a text that names the file.
addEventListener("DOMContentLoaded", () => {
  for (const link of document.querySelectorAll('#rendered_cells a[href$=".md"]')) {
    const path = link.getAttribute("href").replace(/^(\.\.\/)+/, "");
    link.replaceWith(...link.childNodes, ` (${path})`);
  }
});
