/* Stands before a business's pages: the network first; without an answer what is kept on the phone. A report that
could not be sent is kept, never lost. KNOWN comes from the service: the files of the pages, the time zone. */
importScripts(KNOWN.kept);

const SHELL = "shell";
const PAGES = "pages";
const PATIENCE = 8000; // milliseconds until a kept page is better than none
const LONG_PATIENCE = 25000; // the same for a form that is on its way
const FRESH = 12 * 3600 * 1000; // how long a kept form is not fetched again, in milliseconds
const KEPT_AT = "X-Kept-At";
const KEPT_BY = "X-Kept-By"; // the version of the service, by an address of its files
const DAY = /\b\d{4}-\d\d-\d\d\b/;

self.addEventListener("install", (event) => event.waitUntil(keepShell().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("sync", (event) => event.tag === "reports" && event.waitUntil(self.kept.send()));
self.addEventListener("message", (event) => event.data.keep && event.waitUntil(keepPages(event.data.keep)));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  if (url.pathname.startsWith("/assets/")) event.respondWith(asset(request, url));
  else if (request.mode !== "navigate") return;
  else if (request.method === "POST" && url.pathname === "/signout") event.respondWith(signOut(request));
  else if (request.method === "POST" && url.pathname.startsWith("/report/")) event.respondWith(take(request, url));
  else if (request.method === "GET" && isKept(url.pathname)) event.respondWith(page(event, url));
  else if (request.method === "GET" && /^\/(desk|my-system)\b/.test(url.pathname)) event.respondWith(another(request));
});

const isKept = (path) => path === "/work" || path === "/waiting" || path === "/report" || path.startsWith("/report/");

/* The address under which a page is kept: of a form what was done to which tank, whatever the day. */
function keyOf(url) {
  const kind = url.pathname.startsWith("/report/") ? url.searchParams.get("event_type") : "";
  if (!kind) return url.pathname;
  return `${url.pathname}?${new URLSearchParams({ event_type: kind, tank: url.searchParams.get("tank") || "" })}`;
}

const nameOf = (path) => path.replace(/^\/assets\/[^/]+\//, "/assets/");

async function keepShell() {
  const shell = await caches.open(SHELL);
  for (const path of KNOWN.shell) {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(path);
    await shell.put(nameOf(path), answer);
  }
}

async function asset(request, url) {
  const known = KNOWN.shell.includes(url.pathname);
  const held = await caches.match(nameOf(url.pathname), { cacheName: SHELL });
  if (known && held) return held;
  return fetch(request).catch((trouble) => {
    if (held) return held;
    throw trouble;
  });
}

const within = (promise, time) => Promise.race([promise, new Promise((_, no) => setTimeout(no, time, new Error("slow")))]);

async function page(event, url) {
  const turn = self.kept.fact("turn");
  const asked = fetch(event.request);
  event.waitUntil(asked.then((answer) => keep(url, answer.clone(), turn)).catch(() => {}));
  const held = await caches.match(keyOf(url), { cacheName: PAGES });
  try {
    const answer = await (held ? within(asked, PATIENCE) : asked);
    // Signed out or in trouble over there: what waits can be seen all the same.
    return held && url.pathname === "/waiting" && (answer.status === 401 || answer.status >= 500) ? again(held, url) : answer;
  } catch {
    if (held) return again(held, url);
    return (await caches.match("/waiting", { cacheName: PAGES })) ? Response.redirect("/waiting?missing=1", 303) : Response.error();
  }
}

/* Keep a page as it came; those of another person go first. `turn`: when it was asked for, see kept.js. */
async function keep(url, answer, turn) {
  if (answer.status !== 200 || answer.redirected || !isKept(url.pathname)) return false;
  const text = await answer.text();
  const whose = (/<body data-whose="(\w+)"/.exec(text) || [])[1];
  if (!whose) return false;
  const begun = await turn;
  if ((await self.kept.fact("turn")) !== begun) return false;
  await self.kept.become(whose);
  const headers = { "Content-Type": "text/html; charset=utf-8", [KEPT_AT]: String(Date.now()), [KEPT_BY]: KNOWN.kept };
  for (const name of ["Content-Security-Policy", "Permissions-Policy", "Referrer-Policy"])
    if (answer.headers.get(name)) headers[name] = answer.headers.get(name);
  await (await caches.open(PAGES)).put(keyOf(url), new Response(text, { headers }));
  const over = (await self.kept.fact("turn")) !== begun || (await self.kept.fact("whose")) !== whose;
  if (over) await caches.delete(PAGES);
  return true;
}

/* The forms of today's list, one after the other, so that a slow line stays free for whoever waits. */
async function keepPages(paths) {
  for (const path of paths) {
    const url = new URL(path, self.location.origin);
    const held = await caches.match(keyOf(url), { cacheName: PAGES });
    const isNew = held && held.headers.get(KEPT_BY) === KNOWN.kept && Date.now() - Number(held.headers.get(KEPT_AT)) < FRESH;
    if (isNew && path !== "/work") continue;
    const turn = self.kept.fact("turn");
    const answer = await fetch(path, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
    if (!answer || !(await keep(url, answer, turn))) return;
  }
}

/* A kept page, with the day that was chosen now and a key of its own: two reports from one kept form are two. */
async function again(held, url) {
  const at = new Date(Number(held.headers.get(KEPT_AT)));
  const given = url.searchParams.get("service_date") || "";
  const day = { today: today(0), yesterday: today(1) }[url.searchParams.get("day")] || (DAY.test(given) ? given : today(0));
  let text = await held.text();
  text = text.replace('<html lang="en">', `<html lang="en" data-kept="${at.toISOString()}">`);
  text = text.replaceAll(/name="once" value="[^"]*"/g, `name="once" value="${self.kept.newKey()}"`);
  text = text.replaceAll(/(name="service_date" value="|service_date=)\d{4}-\d\d-\d\d/g, `$1${day}`);
  for (const [name, shown] of [["chosen", day], ["today", today(0)], ["yesterday", today(1)]])
    text = text.replaceAll(new RegExp(`(<span data-day="${name}">)[^<]*`, "g"), `$1${words(shown)}`);
  text = text.replaceAll(/ max="\d{4}-\d\d-\d\d"/g, ` max="${today(0)}"`);
  return new Response(text, { headers: held.headers });
}

function today(before) {
  const now = new Date(Date.now() - before * 24 * 3600 * 1000);
  return new Intl.DateTimeFormat("en-CA", { timeZone: KNOWN.zone, dateStyle: "short" }).format(now);
}

function words(day) {
  return new Intl.DateTimeFormat("en-US", { timeZone: "UTC", dateStyle: "full" }).format(new Date(`${day}T12:00:00Z`));
}

/* A report's form on its way: without an answer, signed out, or with the service in trouble, the phone keeps it. */
async function take(request, url) {
  const copy = request.clone();
  const isTaken = (answer) => ![401, 403, 429].includes(answer.status) && answer.status < 500;
  const form = copy.formData().then((data) => [...data].map(([name, value]) => [name, String(value)]));
  try {
    let answer = await within(fetch(request), LONG_PATIENCE);
    if (answer.status === 403) answer = await anew(url, await form, answer);
    if (isTaken(answer)) return answer;
    await self.kept.note("stop", answer.status === 401 || answer.status === 403 ? "signin" : "later");
  } catch {
    await self.kept.note("stop", "signal");
  }
  return Response.redirect(`/waiting?kept=${await hold(url.pathname, await form)}`, 303);
}

/* A kept page has the token of a session that may be over: the same form with the token of the one that holds now. */
async function anew(url, form, refused) {
  const me = await self.kept.who();
  if (me.stop || me.whose !== (await self.kept.fact("whose"))) return refused;
  const body = new URLSearchParams(form);
  body.set("csrf_token", me.csrf);
  return within(fetch(url, { method: "POST", body, headers: { Accept: "text/html" }, redirect: "manual" }), LONG_PATIENCE);
}

async function hold(action, form) {
  const given = Object.fromEntries(form);
  const fields = form.filter(([name]) => !["csrf_token", "step", "once", "confirm"].includes(name) || (name === "confirm" && given.step === "send"));
  const before = given.once ? await self.kept.get(given.once) : undefined;
  if (before && given.step === "change") return before.once;
  const same = before && JSON.stringify(before.fields) === JSON.stringify(fields);
  // Two signed reports from one form, gone back to: both are kept, and seen.
  const once = given.once && (!before || same || before.state !== "waits") ? given.once : self.kept.newKey();
  if (given.step === "send" && !given.signed_on) fields.push(["signed_on", today(0)]);
  const state = given.step === "send" && (given.signature || given.drawn) ? "waits" : "unsigned";
  const whose = await self.kept.fact("whose");
  await self.kept.put({ once, action, fields, state, whose, errors: [], at: Date.now() });
  if (self.registration.sync) await self.registration.sync.register("reports").catch(() => {});
  return once;
}

/* Signing out takes the kept pages away, and reports only where somebody was told of them. */
async function signOut(request) {
  const agreed = new URLSearchParams(await request.clone().text()).get("drop") === "yes";
  if (!agreed && (await self.kept.open()).length) return Response.redirect("/waiting?leaving=1", 303);
  try {
    const answer = await fetch(request);
    if (answer.ok || answer.status === 401) await self.kept.leave(true);
    return answer;
  } catch {
    return Response.redirect("/waiting?leaving=2", 303);
  }
}

/* Somebody in another role has signed in here. */
async function another(request) {
  const answer = await fetch(request);
  if (answer.ok) await self.kept.leave(false);
  return answer;
}
