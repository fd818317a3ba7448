"use strict";
/* What a phone keeps of reports that are not with the county yet, and how they are sent: for pages and for the worker.

A report is kept under the key that its form was given; the service takes a form with the same key once, so that
sending again after a lost answer is safe. States: unsigned, waits, refused, sent. */
self.kept = (() => {
  const SHOWN = 10; // how many reports that are in are still shown
  const open = () => new Promise((done, fail) => {
    const asked = indexedDB.open("reports", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore("reports", { keyPath: "once" });
      asked.result.createObjectStore("facts");
    };
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => fail(asked.error);
  });
  const run = async (store, mode, work) => {
    const base = await open();
    try {
      return await new Promise((done, fail) => {
        const change = base.transaction(store, mode);
        const asked = work(change.objectStore(store));
        change.oncomplete = () => done(asked && asked.result);
        change.onabort = change.onerror = () => fail(change.error);
      });
    } finally {
      base.close();
    }
  };
  const fact = (name) => run("facts", "readonly", (s) => s.get(name));
  const note = (name, value) => run("facts", "readwrite", (s) => s.put(value, name));
  const get = (once) => run("reports", "readonly", (s) => s.get(once));
  const tell = () => {
    const channel = new BroadcastChannel("reports");
    channel.postMessage("changed");
    channel.close();
  };
  const put = async (one) => {
    await run("reports", "readwrite", (s) => s.put(one));
    tell();
  };
  const drop = async (once) => {
    await run("reports", "readwrite", (s) => s.delete(once));
    tell();
  };
  const all = () => run("reports", "readonly", (s) => s.getAll());
  const mine = async () => {
    const [whose, rows] = [await fact("whose"), await all()];
    return rows.filter((one) => one.whose === whose).sort((a, b) => a.at - b.at);
  };
  const open_ones = async () => (await mine()).filter((one) => one.state !== "sent");
  const newKey = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(18));
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
  };

  /* Pages that are kept are of one person; whoever comes next finds none of them. */
  const become = async (whose) => {
    if ((await fact("whose")) === whose) return;
    await caches.delete("pages");
    await note("whose", whose);
    tell();
  };
  /* What a signed-out phone must not show any more. Reports are dropped only by whoever was told of them.
     What is being fetched still is of a turn that is over, and is not kept. */
  const leave = async (reports) => {
    await note("turn", ((await fact("turn")) || 0) + 1);
    await caches.delete("pages");
    for (const one of reports ? await mine() : []) await drop(one.once);
    await note("whose", "");
    await note("stop", "");
    tell();
  };

  const who = async () => {
    try {
      const answer = await fetch("/waiting/who", { headers: { Accept: "application/json" }, cache: "no-store" });
      if (answer.ok) return { ...(await answer.json()), stop: "" };
      return { stop: answer.status === 401 || answer.status === 403 ? "signin" : "later" };
    } catch {
      return { stop: "signal" };
    }
  };
  const post = async (one, csrf) => {
    const body = new URLSearchParams(one.fields);
    body.set("step", "send");
    body.set("once", one.once);
    const headers = { "Idempotency-Key": one.once, "X-CSRF-Token": csrf, Accept: "application/json" };
    let answer;
    let told = {};
    try {
      answer = await fetch(one.action, { method: "POST", body, headers, cache: "no-store" });
      told = await answer.json().catch(() => ({}));
    } catch {
      return "signal";
    }
    if (answer.ok && told.sent) {
      await put({ ...one, state: "sent", link: told.sent, errors: [] });
      return "";
    }
    const code = String(told.type || "").split(/[/:#]/).pop();
    if (answer.status === 401 || code === "csrf") return "signin";
    if (answer.ok || answer.status === 429 || answer.status >= 500 || code === "key-in-use") return "later";
    const errors = told.errors && told.errors.length ? told.errors : [{ message: told.detail || `Answer ${answer.status}` }];
    await put({ ...one, state: "refused", errors });
    return "";
  };
  const deliver = async () => {
    for (const one of (await mine()).filter((each) => each.state === "sent").slice(0, -SHOWN)) await drop(one.once);
    const waiting = (await mine()).filter((one) => one.state === "waits");
    if (!waiting.length) return note("stop", "").then(() => "");
    const me = await who();
    let stop = me.stop;
    if (!stop) await become(me.whose);
    for (const one of waiting) {
      if (stop || one.whose !== me.whose) break;
      stop = await post(one, me.csrf);
    }
    await note("stop", stop);
    tell();
    return stop;
  };
  /* One at a time, in whichever window or worker; the key guards where a browser has no locks. */
  const send = () => (navigator.locks ? navigator.locks.request("reports", deliver) : deliver());

  return { all, mine, open: open_ones, get, put, drop, fact, note, become, leave, newKey, send, who };
})();
