"use strict";
/* While gallons or a meter reading are typed: what the service finds of them, at once. It says so and stops nobody. */
(() => {
  const PAUSE = 500; // milliseconds after the last key
  const region = document.getElementById("looked");
  const form = region.closest("form");
  let timer = 0;
  let asked = 0;
  const look = async (field) => {
    const turn = ++asked;
    const body = new URLSearchParams(new FormData(form));
    body.set("step", "look");
    const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } }).catch(() => null);
    if (!answer || !answer.ok || turn !== asked) return;
    const text = await answer.text();
    field.closest(".usa-form-group").append(region);
    region.replaceChildren(document.createRange().createContextualFragment(text));
  };
  for (const name of ["gallons_pumped", "meter_reading"]) {
    const field = document.getElementById(`f-${name}`);
    if (!field) continue;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(look, PAUSE, field);
    });
  }
})();
