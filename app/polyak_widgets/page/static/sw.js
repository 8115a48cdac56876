// Keeps the page for use without a network: a service worker, which answers what the page asks for.
//
// The addresses of files carry a part of their sha256, so what is kept under one is right for good. The page itself is
// asked of the host first, so that a new build is seen.
"use strict";

const KEPT = $KEPT; // what the page needs before it is alive
const LATER = $LATER; // what may be kept beside it, once it was needed
const CACHE = "polyak-explorer";
const PATIENCE = 4000; // milliseconds for the host; then what is kept has to do

const whole = (path) => new URL(path, self.registration.scope).href;

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(Promise.all([self.clients.claim(), forget()])));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(self.registration.scope)) return;
  event.respondWith(request.mode === "navigate" ? newest(request) : keptOr(request));
});

// Most is kept already: by the worker that has just fetched it.
async function keep() {
  self.skipWaiting();
  const cache = await caches.open(CACHE);
  for (const address of KEPT.map(whole)) if (!(await cache.match(address))) await cache.add(address);
  await cache.add(new Request(whole("./"), { cache: "no-cache" }));
}

async function forget() {
  const cache = await caches.open(CACHE);
  const wanted = new Set(["./", ...KEPT, ...LATER].map(whole));
  for (const { url } of await cache.keys()) if (url.startsWith(self.registration.scope) && !wanted.has(url)) await cache.delete(url);
}

async function keptOr(request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(request.url)) ?? fetch(request);
}

async function newest(request) {
  const cache = await caches.open(CACHE);
  const own = request.url.split(/[?#]/)[0].replace(/index\.html$/, "") === self.registration.scope;
  const late = new AbortController();
  const clock = setTimeout(() => late.abort(), PATIENCE);
  try {
    return await fetch(request, { signal: late.signal });
  } catch (error) {
    const kept = own && (await cache.match(whole("./")));
    if (!kept) throw error;
    return kept;
  } finally {
    clearTimeout(clock);
  }
}
