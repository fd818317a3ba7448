"use strict";
/* The list of reports on this phone: what each says, how it stands, signing, mending, deleting, sending now. */
(() => {
  const place = document.getElementById("kept");
  const list = document.getElementById("kept-list");
  const told = document.getElementById("kept-told");
  const titles = JSON.parse(place.dataset.titles);
  const dates = JSON.parse(place.dataset.dates);
  const choices = JSON.parse(place.dataset.choices);
  const asked = new URLSearchParams(location.search);
  const zone = place.dataset.zone;
  const cards = new Map();
  let shown = "";

  const make = (tag, text, attributes = {}) => {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const button = (text, work, quiet) => {
    const made = make("button", text, { type: "button", class: quiet ? "usa-button usa-button--outline" : "usa-button" });
    made.addEventListener("click", work);
    return made;
  };
  const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1).replaceAll("_", " ");
  const words = (name, text) => {
    if (dates.includes(name) && /^\d{4}-\d\d-\d\d$/.test(text))
      return new Date(`${text}T12:00:00Z`).toLocaleDateString("en-US", { dateStyle: "full", timeZone: "UTC" });
    return choices.includes(name) && text.length > 1 ? sentence(text) : text;
  };
  const today = () => new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" }).format(new Date());

  const heading = (given) => {
    const where = given.site_address || (given.permit_number && `permit ${given.permit_number}`) || "A system without a number";
    return make("h2", `${sentence(given.event_type || "report")}, ${where}`);
  };
  const brief = (given) => {
    const parts = [given.service_date && words("service_date", given.service_date)];
    if (given.permit_number) parts.push(`permit ${given.permit_number}`);
    if (given.gallons_pumped) parts.push(`${given.gallons_pumped} gallons`);
    return make("p", parts.filter(Boolean).join(" · "));
  };
  const table = (given, caption) => {
    const made = make("table");
    made.append(make("caption", caption));
    const rows = made.appendChild(make("tbody"));
    for (const [name, title] of Object.entries(titles)) {
      if (!given[name]) continue;
      const row = rows.appendChild(make("tr"));
      row.append(make("th", title, { scope: "row" }), make("td", words(name, given[name]), { class: "long" }));
    }
    return made;
  };

  const sign = (one) => {
    const form = document.getElementById("signing").content.firstElementChild.cloneNode(true);
    const name = form.querySelector("[name=signature]");
    for (const part of form.querySelectorAll("[id], [for], [aria-describedby]"))
      for (const kind of ["id", "for", "aria-describedby"])
        if (part.getAttribute(kind)) part.setAttribute(kind, `${part.getAttribute(kind)}-${one.once}`);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const drawn = form.querySelector("[name=drawn]").value;
      const wrong = form.querySelector(".usa-error-message");
      wrong.hidden = Boolean(name.value.trim() || drawn);
      if (!wrong.hidden) return name.focus();
      const fields = one.fields.filter(([field]) => !["signature", "drawn", "signed_on"].includes(field));
      fields.push(["signed_on", today()], drawn ? ["drawn", drawn] : ["signature", name.value.trim()]);
      await kept.put({ ...one, fields, state: "waits", errors: [], at: Date.now() });
      await now();
    });
    self.pads(form);
    return form;
  };
  /* The form with these values, from the service: what was refused is mended where it was filled in. */
  const mend = async (one) => {
    const me = await kept.who();
    if (me.stop) return say(me.stop);
    const form = make("form", "", { method: "post", action: one.action, hidden: "" });
    for (const [name, value] of [["csrf_token", me.csrf], ["once", one.once], ["step", "change"], ...one.fields])
      if (name !== "drawn") form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    document.body.append(form);
    form.submit();
  };
  const remove = (text, work) => {
    const made = make("details");
    made.append(make("summary", "Delete it"), make("p", text), button("Yes, delete it from this phone", work, true));
    return made;
  };

  const STATES = { unsigned: "Not signed yet", waits: "Waits for a signal", refused: "Not taken: mend it", sent: "Sent" };
  const card = (one, stop) => {
    const given = Object.fromEntries(one.fields);
    const made = make("li", "", { class: "card", id: `r-${one.once}` });
    const state = one.state === "waits" && stop === "signin" ? "Waits until you sign in again" : STATES[one.state];
    made.append(heading(given), brief(given));
    made.append(make("p", state, { class: one.state === "refused" ? "standing standing-overdue" : "standing standing-unknown" }));
    if (one.state === "refused") {
      const errors = made.appendChild(make("ul"));
      for (const error of one.errors) errors.append(make("li", `${error.title ? `${error.title}: ` : ""}${error.message}`));
    }
    if (one.state === "unsigned") made.append(table(given, "This is what you sign"), sign(one));
    if (one.state === "sent") {
      const where = made.appendChild(make("p"));
      where.append(make("a", "What became of it", { href: one.link }));
      return made;
    }
    if (one.state !== "waits") made.append(button(one.state === "refused" ? "Mend it" : "Change something (needs a signal)", () => mend(one), one.state !== "refused"));
    made.append(remove("It was not sent, and nobody else has it.", () => kept.drop(one.once)));
    return made;
  };

  const STOPS = {
    signal: "There is no signal. The reports stay on this phone and are sent when there is one.",
    signin: "You are signed out. Nothing is lost: sign in again as the same person, and the reports are sent.",
    later: "The service does not answer now. The reports stay on this phone and are tried again.",
  };
  const say = (stop) => {
    told.replaceChildren(make("p", STOPS[stop] || ""));
    told.hidden = !STOPS[stop];
    if (stop === "signin") told.firstChild.append(" ", make("a", "Sign in", { href: "/signin" }));
  };
  const now = async () => {
    say(await kept.send());
    await show();
  };

  const show = async () => {
    const [mine, all, stop] = [await kept.mine(), await kept.all(), await kept.fact("stop")];
    const open = mine.filter((one) => one.state !== "sent");
    const foreign = all.filter((one) => !mine.includes(one) && !mine.some((own) => own.once === one.once));
    const state = JSON.stringify([mine, foreign.length, stop]);
    if (state === shown) return;
    shown = state;
    for (const one of mine) {
      const now = JSON.stringify([one, one.state === "waits" && stop]);
      // A card that says the same stays as it is: somebody may be signing in it.
      if (!cards.has(one.once) || cards.get(one.once).as !== now) cards.set(one.once, { as: now, made: card(one, stop) });
    }
    const wanted = mine.map((one) => cards.get(one.once).made);
    for (const old of [...list.children]) if (!wanted.includes(old)) old.remove();
    wanted.forEach((made, n) => list.children[n] !== made && list.insertBefore(made, list.children[n] || null));
    document.getElementById("kept-none").hidden = mine.length > 0;
    document.getElementById("kept-now").hidden = !mine.some((one) => one.state === "waits");
    document.getElementById("kept-leaving").hidden = asked.get("leaving") !== "1" || !open.length;
    const others = document.getElementById("kept-others");
    others.hidden = !foreign.length;
    if (foreign.length) {
      others.replaceChildren(
        make("p", `${foreign.length} unsent ${foreign.length === 1 ? "report" : "reports"} of somebody else ${foreign.length === 1 ? "is" : "are"} on this phone. Who signed them signs in here to send them.`),
        remove("They were not sent, and nobody else has them.", async () => { for (const one of foreign) await kept.drop(one.once); }),
      );
    }
    if (open.some((one) => one.state === "waits")) say(stop);
    else if (!asked.has("missing") && asked.get("leaving") !== "2") told.hidden = true;
  };

  const start = async () => {
    document.getElementById("kept-now").addEventListener("click", now);
    if (asked.has("missing")) told.replaceChildren(make("p", "There is no signal, and that page is not on the phone. Today's list and the forms of its systems are, and the form for a system that is not on it."));
    if (asked.get("leaving") === "2") told.replaceChildren(make("p", "There is no signal: sign out once there is one."));
    told.hidden = !told.firstChild;
    await show();
    new BroadcastChannel("reports").onmessage = show;
    const now_kept = asked.has("kept") && (await kept.get(asked.get("kept")));
    if (now_kept && now_kept.state === "unsigned") {
      told.replaceChildren(make("p", "The report could not go out now. It is kept on this phone: sign it below, and it is sent when there is a signal."));
      told.hidden = false;
    }
    const one = asked.get("kept") && document.getElementById(`r-${asked.get("kept")}`);
    if (one) one.scrollIntoView();
  };
  start();
})();
