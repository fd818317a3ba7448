// What a page is asked in the browser, beside axe. Each function gives a list of troubles, in words; empty is good.
(() => {
  const seen = (e) => e.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  const name = (e) => {
    const text = (e.getAttribute("aria-label") || e.textContent || e.value || "").trim().replace(/\s+/g, " ");
    return `<${e.localName}${e.id ? "#" + e.id : e.name ? " " + e.name : ""}> ${text.slice(0, 40)}`;
  };
  const hiddenForReaders = (e) => e.closest(".usa-sr-only, .skip, svg, canvas") !== null;

  // A radio button that is not the one of its group that Tab leads to.
  const skipped = (e) => {
    if (e.type !== "radio") return false;
    const group = [...document.querySelectorAll('input[type="radio"]')].filter(
      (o) => o.name === e.name && o.form === e.form && !o.disabled && seen(o));
    return (group.find((o) => o.checked) || group[0]) !== e;
  };

  // Whatever a person can act on, in the order of the document; a link counts whether or not Tab leads to it.
  const controls = () => [...document.querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]:not([tabindex^='-'])")]
    .filter((e) => !e.disabled && seen(e) && !skipped(e))
    .filter((e) => e.localName !== "summary" || e.parentElement.localName === "details");

  const sideways = () => {
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth) return [];
    const out = [...document.body.querySelectorAll("*")].filter(
      (e) => seen(e) && !hiddenForReaders(e) && e.getBoundingClientRect().right > root.clientWidth + 1);
    return [`is ${root.scrollWidth} px wide in ${root.clientWidth}: ${out.slice(-1).map(name)}`];
  };

  // WCAG 2.1, 1.4.4: text of twice the size stays whole, and no control lies on another.
  const cut = () => {
    const found = [];
    for (const e of document.body.querySelectorAll("*")) {
      if (!seen(e) || hiddenForReaders(e)) continue;
      const style = getComputedStyle(e);
      const clips = (way) => ["hidden", "clip"].includes(style[way]);
      const wide = clips("overflowX") && e.scrollWidth > e.clientWidth + 1;
      const high = clips("overflowY") && e.scrollHeight > e.clientHeight + 1;
      if ((wide || high) && e.textContent.trim()) found.push(`cuts off ${name(e)}`);
      const low = e.clientHeight > 0 && e.clientHeight + 1 < parseFloat(style.fontSize);
      if (low && e.matches("select, button, input:not([type=checkbox], [type=radio], [type=file])")) {
        found.push(`is too low for its text: ${name(e)}`);
      }
    }
    const places = controls().filter((e) => !e.closest(".leaflet-container") && !e.matches(".skip"))
      .map((e) => [e, e.getBoundingClientRect()]).filter(([, r]) => r.width > 1 && r.height > 1);
    const lines = [...places].sort((a, b) => a[1].top - b[1].top);
    lines.forEach(([a, p], at) => {
      for (const [b, q] of lines.slice(at + 1)) {
        if (q.top >= p.bottom - 1) break;
        const inside = a.contains(b) || b.contains(a);
        if (!inside && meet(a, b)) found.push(`has ${name(a)} and ${name(b)} on each other`);
      }
    });
    return found;
  };
  // A link that wraps has a box around both its lines: what counts are the lines.
  const meet = (a, b) => [...a.getClientRects()].some((p) => [...b.getClientRects()].some((q) => {
    const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    return across > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4;
  }));

  const looks = (e) => {
    const s = getComputedStyle(e);
    const outline = s.outlineStyle !== "none" && s.outlineWidth !== "0px" ? s.outline : "";
    return [outline, s.boxShadow, s.border, s.backgroundColor, s.top].join("|");
  };
  let way = null;
  const start = () => {
    document.activeElement.blur?.();
    const expected = controls();
    way = { expected, before: new Map(expected.map((e) => [e, looks(e)])), visited: [], troubles: [] };
    document.addEventListener("focusin", ({ target }) => {
      if (target === document.body) return;
      way.visited.push(target);
      const box = target.getBoundingClientRect();
      const gone = box.width < 1 || box.height < 1 || box.right <= 0 || box.bottom + scrollY <= 0;
      if (gone) way.troubles.push(`has the focus out of sight: ${name(target)}`);
      if (way.before.get(target) === looks(target)) way.troubles.push(`does not show the focus on ${name(target)}`);
    }, true);
    // A date has a part for each of its figures, and Tab goes through them.
    const parts = { date: 5, time: 5, month: 4, "datetime-local": 8, file: 2, number: 1 };
    const scrollers = [...document.querySelectorAll("*")].filter(
      (e) => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight);
    return expected.reduce((sum, e) => sum + (parts[e.type] || 1), 0) + Math.min(scrollers.length, 9) + 2;
  };
  const finish = () => {
    const first = [...new Set(way.visited)];
    const troubles = [...new Set(way.troubles)];
    const at = new Map(first.map((e, index) => [e, index]));
    for (const e of way.expected) if (!at.has(e)) troubles.push(`cannot be reached by Tab: ${name(e)}`);
    const order = first.filter((e) => way.before.has(e));
    const follows = (one, next) => one.compareDocumentPosition(next) & Node.DOCUMENT_POSITION_FOLLOWING;
    const wrong = order.find((e, index) => index && !follows(order[index - 1], e));
    if (wrong) troubles.push(`Tab comes out of order to ${name(wrong)}`);
    const back = way.visited.lastIndexOf(first[0]) > 0 || document.activeElement === document.body;
    if (first.length && !back) troubles.push(`Tab does not get out of ${name(document.activeElement)}`);
    if (document.querySelector(".skip") && !first[0]?.matches(".skip")) {
      troubles.push("the first Tab is not the way past the navigation");
    }
    return { troubles, reached: first.length };
  };
  // Bytes of the page with all that it loaded, but for the drawing of maps and the reading of codes.
  const weight = () => performance.getEntries().filter((e) => ["navigation", "resource"].includes(e.entryType))
    .filter((e) => !/\/leaflet\/|\/jsqr\.js|\/map\.json/.test(e.name)).reduce((sum, e) => sum + e.decodedBodySize, 0);
  window.looking = { sideways, cut, start, finish, weight };
})();
