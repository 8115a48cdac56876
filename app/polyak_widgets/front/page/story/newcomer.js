// Whether this browser's reader has had the questions before. A browser may refuse to remember anything; then they come
// each time. The still picture before the page asks here too, so this file imports nothing.

const KEY = "polyak-explorer-questions";

export function isKnown() {
  try {
    return localStorage.getItem(KEY) === "seen";
  } catch {
    return false;
  }
}

export function remember() {
  try {
    localStorage.setItem(KEY, "seen");
  } catch {
    // they come again
  }
}
