"use strict";
/* On every page of a business: the worker, how many reports wait, and sending them when there is a signal. */
(() => {
  const body = document.body;
  const line = document.getElementById("waits");
  const since = document.documentElement.dataset.kept;

  const count = async () => {
    const open = await kept.open();
    const waits = open.filter((one) => one.state === "waits").length;
    const others = open.length - waits;
    const stop = await kept.fact("stop");
    const parts = [];
    const report = (n) => `${n} ${n === 1 ? "report" : "reports"}`;
    const why = stop === "signin" ? (waits === 1 ? "waits until you sign in again" : "wait until you sign in again") : waits === 1 ? "waits for a signal" : "wait for a signal";
    if (waits) parts.push(`${report(waits)} ${why}`);
    if (others) parts.push(`${report(others)} ${others === 1 ? "needs" : "need"} you`);
    line.hidden = !parts.length;
    const link = line.querySelector("a");
    if (link.textContent !== parts.join(", ")) link.textContent = parts.join(", ");
  };

  const banner = () => {
    if (!since || location.pathname === "/waiting") return;
    const at = new Date(since).toLocaleString("en-US", { dateStyle: "full", timeStyle: "short" });
    const told = document.createElement("p");
    told.className = "alert";
    told.id = "kept-note";
    told.textContent = `No signal: this page is as it was on ${at}. A report is kept on the phone and sent later.`;
    line.after(told);
  };

  const start = async () => {
    banner();
    if (!since && body.dataset.whose) await kept.become(body.dataset.whose);
    const done = /^#once=([\w-]+)$/.exec(location.hash);
    if (done && location.pathname.startsWith("/sent/")) {
      history.replaceState(null, "", location.pathname + location.search);
      const one = await kept.get(done[1]);
      if (one) await kept.put({ ...one, state: "sent", link: location.pathname, errors: [] });
    }
    await count();
    new BroadcastChannel("reports").onmessage = count;
    window.addEventListener("online", () => kept.send());
    if (navigator.serviceWorker) {
      await navigator.serviceWorker.register("/worker.js");
      const ready = await navigator.serviceWorker.ready;
      const list = document.getElementById("forms");
      const forms = list ? JSON.parse(list.dataset.forms) : [];
      // The first page came before there was a worker to keep it.
      if (list && !navigator.serviceWorker.controller) forms.unshift(location.pathname);
      if (!since && ready.active) ready.active.postMessage({ keep: ["/waiting", ...forms] });
    }
    if (!since) await kept.send();
  };
  start().catch((trouble) => {
    // Private windows may keep nothing: the pages work as without script.
    if (!(trouble instanceof DOMException)) throw trouble;
  });
})();
