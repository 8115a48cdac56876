// What a served page keeps in the browser over a reload and a lost process: small things in the session storage of its
// tab, files in the browser's database, for a day. A browser may refuse either; then nothing is kept, and that is said.

const STEM = `polyak-explorer ${location.pathname} `;
const BASE = "polyak-explorer";
const DAY = 86_400_000; // milliseconds
const MOST_FILES = 4; // as many as Python keeps

// Whether the page is one of its own, by a server or without one, and no part of a notebook.
export function isServed() {
  return document.body.matches("[data-voila], [data-serverless]");
}

// Whether one Explorer has the page for itself: of several none can be told what was kept of which.
export function isSole() {
  return isServed() && document.querySelectorAll(".polyak-explorer").length === 1;
}

// Whether it is kept.
export function keep(name, value) {
  try {
    sessionStorage.setItem(STEM + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export function keptOf(name) {
  try {
    return JSON.parse(sessionStorage.getItem(STEM + name));
  } catch {
    return null;
  }
}

// Whoever comes by a link wants what the link says, and nothing that was kept before.
export function isNewVisit() {
  return arrival() === "navigate";
}

function arrival() {
  return performance.getEntriesByType("navigation")[0]?.type;
}

// A time that pages of one tab can compare.
export function moment() {
  return performance.timeOrigin + performance.now();
}

// What a page that is loaded again had: its settings, which may be newer than its address, its pins, and its story.
export function returning() {
  if (!isServed() || isNewVisit()) return {};
  const [entry, value, place, pins, story] = [history.state?.polyak, ...["value", "place", "pins", "story"].map(keptOf)];
  if (!place?.sole) return {};
  const newest = value && isPlaceOf(place, entry) ? { value, view: place.view } : entry;
  return { ...(newest && { kept: newest }), ...(pins?.length && { pins }), ...(story && { story }) };
}

// Whether the page before this one was left at this entry. A reload takes an entry back that was written just before it:
// the page was left while this one was on its way.
function isPlaceOf({ index, at }, entry) {
  return index === (entry?.index ?? 0) || (arrival() === "reload" && at > performance.timeOrigin);
}

// `content` is the message that brought the file, `buffer` its bytes; `key` is its sha256. Whoever listens looks whether it
// is there.
export async function keepFile(key, content, buffer) {
  await inFiles("readwrite", (files) => files.put({ content, buffer, at: Date.now() }, key)).catch(() => null);
  dispatchEvent(new CustomEvent("polyak-kept", { detail: content.name }));
}

export function fileOf(key) {
  return inFiles("readonly", (files) => files.get(key));
}

// The names of the files that are kept; those that are old, or too many, go.
export async function keptFiles() {
  const [keys, files] = await Promise.all(["getAllKeys", "getAll"].map((all) => inFiles("readonly", (store) => store[all]())));
  const newest = files.map(({ content, at }, i) => ({ key: keys[i], name: content.name, at })).sort((one, other) => other.at - one.at);
  const left = newest.slice(0, MOST_FILES).filter(({ at }) => Date.now() - at < DAY);
  for (const { key } of newest.filter((file) => !left.includes(file))) await inFiles("readwrite", (store) => store.delete(key));
  return left.map(({ name }) => name);
}

export async function forgetAll() {
  for (const name of ["pins", "story"]) keep(name, null);
  await inFiles("readwrite", (files) => files.clear());
}

async function inFiles(mode, act) {
  const base = await openBase();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = base.transaction("files", mode);
      const answer = act(transaction.objectStore("files"));
      transaction.oncomplete = () => resolve(answer.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    base.close();
  }
}

function openBase() {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open(BASE, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("files");
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}
