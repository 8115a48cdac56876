// How high the charts are: what the words above them leave of the screen, down to the bar of the cursor.

// Measures it for the style sheet, which takes no more than that. A presented page has no bar in sight: there what stands
// below the charts is in the sum, and a story stands beside them.
export function leaveRoom(root, present) {
  const chart = root.querySelector(".pk-panels .pk-chart");
  if (!chart?.clientHeight) return;
  const { top } = (root.closest(".polyak-explorer, .pk-alone") ?? root).getBoundingClientRect();
  const leave = (name, taken) => root.style.setProperty(`--pk-${name}`, `${Math.floor(innerHeight - taken)}px`);
  if (!present) return leave("room", chart.getBoundingClientRect().top - top + root.querySelector(".pk-cursor").offsetHeight);
  leave("room", chart.closest(".pk-panels").getBoundingClientRect().bottom - top - chart.clientHeight + 12);
  leave("beside", root.querySelector(".pk-toolbar").getBoundingClientRect().bottom - top + 14); // of the story, which sticks
}
