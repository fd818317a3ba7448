// Number keys press the button of the candidate with that number; they can be switched off, and stay so.
"use strict";
(() => {
  const hint = document.querySelector(".keys-hint");
  const on = document.getElementById("keys-on");
  if (!hint || !on) return;
  const KEPT = "number-keys-off";
  hint.hidden = false;
  on.checked = localStorage.getItem(KEPT) === null;
  on.addEventListener("change", () => {
    if (on.checked) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, "1");
  });
  const opened = performance.now();
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select");
    if (!on.checked || typing || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (performance.now() - opened < 600) return; // a key struck twice must not decide the next report too
    const button = document.querySelector(`button[data-key="${CSS.escape(event.key)}"]`);
    if (!button) return;
    event.preventDefault();
    button.disabled = true;
    button.form.submit();
  });
})();
