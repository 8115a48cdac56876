// The worker of the page without a server: fetches Pyodide and this project's wheel, begins a session in Python, and
// steps it in slices, between which messages of the page come in.
//
// It is told {begin: files} first, where `files` lists what lies beside this file with sizes and sha256. It answers
// {progress: [bytes, of]}, {alive: true}, {trouble: words}, and with what the session says: {text, buffers}.
"use strict";

const SLICE = 0.008; // seconds of Python between two looks at what the page says
const TRIES = 3; // of a download
const PAUSE = 1000; // milliseconds before the next
const SILENCE = 30_000; // milliseconds without a byte: then nothing more comes
const LATER = { scipy: "SciPy, which this problem needs,", plotly: "What draws the charts of an exported page" };
const TYPES = { js: "text/javascript", json: "application/json", wasm: "application/wasm" };

const given = new Map(); // the bytes that Pyodide will ask for, by their names
const kept = new Set(); // the paths that this browser had kept, with the right bytes
let files;
let pyodide;
let reader;
let bridge;
let working = false;

class Trouble extends Error {}

onmessage = ({ data }) => {
  if (data.begin) begin(data.begin);
  else take(data);
};

async function begin(all) {
  files = all;
  try {
    await start();
  } catch (error) {
    postMessage({ trouble: wordsOf(error) });
  }
}

async function start() {
  serveGiven();
  const begun = await fetchParts(files.core, (come, of) => postMessage({ progress: [come, of] }));
  postMessage({ progress: [] });
  importScripts(...["pyodide.js", "pyodide.asm.js"].map((name) => addressOf(partOf(`pyodide/${name}`))));
  for (const [path, bytes] of begun) given.set(nameOf(path), bytes);
  given.set("pyodide-lock.json", JSON.stringify(files.lock));
  const indexURL = new URL("pyodide/", location).href;
  pyodide = await orFailure(loadPyodide({ indexURL, stdout() {}, stderr() {} }));
  await load("numpy");
  for (const [path, bytes] of begun) if (path.startsWith("python/")) pyodide.unpackArchive(bytes, "wheel");
  given.clear();
  bridge = pyodide.runPython(`
from polyak_widgets.page.static.scipy_later import wait_for_scipy
scipy = wait_for_scipy()
from polyak_widgets.page.static import in_browser
in_browser`);
  reader = bridge.begin(post, pyodide.globals.get("scipy"), turn);
  postMessage({ alive: true }); // the page answers with what it wants, and the work begins
}

// Pyodide waits without end for a WebAssembly module that cannot be made.
function orFailure(started) {
  const make = WebAssembly.instantiateStreaming;
  return new Promise((resolve, reject) => {
    WebAssembly.instantiateStreaming = (...all) => make.apply(WebAssembly, all).catch((error) => (reject(error), Promise.reject(error)));
    started.then(resolve, reject);
  }).finally(() => (WebAssembly.instantiateStreaming = make));
}

// What Pyodide fetches is here already, and its bytes are those that the page was built with. Compiled WebAssembly is kept by
// browsers beside what they fetch themselves alone: so what is kept is fetched, and the service worker answers.
function serveGiven() {
  const fetchAnything = self.fetch;
  self.fetch = (address, options) => {
    const name = nameOf(new URL(address.url ?? address, location).pathname);
    if (kept.has(`pyodide/${name}`) && name.endsWith(".wasm")) return fetchAnything(addressOf(partOf(`pyodide/${name}`)));
    if (!given.has(name)) return fetchAnything(address, options);
    return Promise.resolve(new Response(given.get(name), { headers: { "Content-Type": TYPES[name.split(".").pop()] ?? "application/zip" } }));
  };
}

async function load(name) {
  let wrong = "";
  await pyodide.loadPackage(name, { messageCallback() {}, errorCallback: (words) => (wrong = words) });
  if (!pyodide.loadedPackages[name]) throw new Error(wrong || `${name} could not be unpacked`);
}

// Messages.

function post(text, ...buffers) {
  const { need } = text.startsWith('{"need"') ? JSON.parse(text) : {};
  if (need) return void fetchLater(need);
  postMessage({ text, buffers }, buffers.map(({ buffer }) => buffer));
}

function take({ text, buffers }) {
  try {
    bridge.take(reader, text, buffers ?? []);
  } catch (error) {
    postMessage({ trouble: wordsOf(error) });
  }
  work();
}

async function work() {
  if (working) return;
  working = true;
  await turn(); // what the page says in one breath is heard as a whole
  try {
    const { step } = reader;
    const suspends = "Suspending" in WebAssembly; // then messages come in within a slice, too
    while (suspends ? await step.callPromising(SLICE) : step(SLICE)) await turn();
  } catch (error) {
    postMessage({ trouble: wordsOf(error) });
  }
  working = false;
}

// Lets messages in. A timer of 0 waits 4 ms once it is nested.
function turn() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => (port1.close(), resolve());
    port2.postMessage(0);
  });
}

// SciPy, once a problem needs it; plotly.js for Python, once a page is exported.
async function fetchLater(name) {
  let trouble = "";
  try {
    const parts = await fetchParts(files.later[name], (come, of) => postMessage({ later: [name, come, of] }));
    for (const [path, bytes] of parts) given.set(nameOf(path), bytes);
    if (name === "scipy") {
      postMessage({ later: [name] });
      await load(name);
    } else for (const [, bytes] of parts) pyodide.unpackArchive(bytes, "wheel");
  } catch (error) {
    trouble = `${LATER[name]} could not be loaded. ${wordsOf(error)} Choose again to try again.`;
  }
  given.clear();
  reader.arrived(name, trouble);
  work();
}

// Files.

function nameOf(path) {
  return path.split("/").pop();
}

function partOf(path) {
  return files.core.find((part) => part.path === path);
}

function addressOf({ path, sha256 }) {
  return new URL(`${path}?v=${sha256.slice(0, 12)}`, location).href;
}

// Pairs of a path and its bytes; `tell` hears how many of all bytes have come.
async function fetchParts(parts, tell) {
  const of = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const come = new Map();
  const cache = await openCache();
  return Promise.all(
    parts.map(async (part) => {
      const bytes = await fetchPart(part, cache, (size) => {
        come.set(part.path, size);
        tell([...come.values()].reduce((sum, size) => sum + size, 0), of);
      });
      return [part.path, bytes];
    }),
  );
}

// What this browser has kept of this build; nothing where it keeps nothing, as for a page over plain http.
async function openCache() {
  try {
    return await caches.open(files.cache);
  } catch {
    return null;
  }
}

async function fetchPart(part, cache, tell) {
  const address = addressOf(part);
  const answer = await cache?.match(address).catch(() => null);
  if (answer) {
    const bytes = await answer.arrayBuffer();
    if (await isRight(bytes, part)) return kept.add(part.path), tell(part.bytes), bytes;
  }
  const bytes = await tried(() => download(address, part, tell));
  if (!(await isRight(bytes, part))) {
    throw new Trouble(`${part.path} arrived with other bytes than this page was built with. The folder on the host is incomplete or mixed: copy the whole folder there again.`);
  }
  const type = TYPES[part.path.split(".").pop()] ?? "application/zip";
  await cache?.put(address, new Response(bytes, { headers: { "Content-Type": type } })).catch(() => postMessage({ unkept: files.core.includes(part) ? "page" : "later" }));
  return bytes;
}

async function tried(act) {
  for (let i = 1; ; i += 1) {
    try {
      return await act();
    } catch (error) {
      if (error instanceof Trouble && error.final) throw error;
      if (i === TRIES) throw error instanceof Trouble ? error : new Trouble("The host was not reached: check the connection.");
      await new Promise((resolve) => setTimeout(resolve, PAUSE * i));
    }
  }
}

async function download(address, part, tell) {
  const over = new AbortController();
  let clock;
  const wait = () => {
    clearTimeout(clock);
    clock = setTimeout(() => over.abort(), SILENCE);
  };
  wait();
  try {
    const answer = await fetch(address, { signal: over.signal });
    if (!answer.ok) throw Object.assign(new Trouble(`The host has no ${part.path} (it answers ${answer.status}): copy the whole folder there.`), { final: answer.status === 404 });
    const bytes = new Uint8Array(part.bytes);
    let come = 0;
    const body = answer.body.getReader();
    for (let { value, done } = await body.read(); !done; { value, done } = await body.read()) {
      wait();
      if (come + value.length > bytes.length) break; // another file: its sha256 will tell
      bytes.set(value, come);
      tell((come += value.length));
    }
    if (come < bytes.length) throw new Trouble(`${part.path} arrived incomplete: ${come} of ${part.bytes} bytes.`);
    return bytes.buffer;
  } catch (error) {
    throw over.signal.aborted ? new Trouble(`${part.path} did not come: the host sent nothing for ${SILENCE / 1000} seconds.`) : error;
  } finally {
    clearTimeout(clock);
  }
}

// Only pages over https, and on this machine, have what computes a sha256; elsewhere the size has to do.
async function isRight(bytes, { bytes: size, sha256 }) {
  if (bytes.byteLength !== size) return false;
  if (!self.crypto?.subtle) return true;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((each) => each.toString(16).padStart(2, "0")).join("") === sha256;
}

function wordsOf(error) {
  if (error instanceof Trouble) return error.message;
  const text = String(error?.message ?? error);
  if (/memory|allocat/i.test(text) && /could not|cannot|out of|fail|MemoryError/i.test(text)) return "This device has not enough free memory for Python: close other tabs, or use another device.";
  if (/unsafe-eval|Content Security/i.test(text)) return "The host forbids WebAssembly: its Content-Security-Policy has to allow 'wasm-unsafe-eval'.";
  if (/importScripts|Failed to execute 'importScripts'|NetworkError/.test(text)) return "A script of Python could not be loaded: the folder on the host is incomplete, or the connection is gone.";
  return `Python could not go on (${text.trim().split("\n").pop().slice(0, 200)}).`;
}
