// The map of systems: marks drawn on one canvas, each standing with a shape of its own; the list follows the view.
"use strict";
(() => {
  const place = document.getElementById("map");
  if (!place || !window.L) return;
  place.parentElement.hidden = false;
  const SHAPES = {
    violation: [[-6, -6], [6, 6], null, [6, -6], [-6, 6]],
    overdue: [[0, -7], [7, 6], [-7, 6], [0, -7]],
    due_soon: [[0, -7], [7, 0], [0, 7], [-7, 0], [0, -7]],
    unknown: [[-5, -5], [5, -5], [5, 5], [-5, 5], [-5, -5]],
    exempt: [[0, -6], [0, 6], null, [-6, 0], [6, 0]],
    inactive: [[-6, 0], [6, 0]],
  };
  const LISTED = 50;
  const words = new Map([...document.querySelectorAll(".legend li")].map((one) => {
    const kind = one.querySelector("svg").classList[1].slice(5);
    return [kind, one.textContent.trim()];
  }));
  const inks = new Map([...words.keys()].map((kind) => {
    return [kind, getComputedStyle(document.querySelector(`.legend .mark-${kind}`)).color];
  }));
  const page = getComputedStyle(document.body);
  const ink = page.color;
  const paper = page.backgroundColor;

  L.Canvas.include({
    _updateMark(mark) {
      if (!this._drawing || mark._empty()) return;
      const ctx = this._ctx, { x, y } = mark._point, options = mark.options, size = options.large ? 1.5 : 1;
      const trace = () => {
        ctx.beginPath();
        const shape = SHAPES[options.kind];
        if (!shape) ctx.arc(x, y, 5 * size, 0, 2 * Math.PI);
        let up = true;
        for (const step of shape || []) {
          if (step === null) { up = true; continue; }
          ctx[up ? "moveTo" : "lineTo"](x + step[0] * size, y + step[1] * size);
          up = false;
        }
      };
      trace();
      ctx.lineCap = "round";
      ctx.strokeStyle = paper; ctx.lineWidth = 5 * size; ctx.stroke();
      ctx.strokeStyle = inks.get(options.kind); ctx.lineWidth = 2.5 * size; ctx.stroke();
      if (options.kind === "overdue" || options.kind === "compliant") { ctx.fillStyle = inks.get(options.kind); ctx.fill(); }
      if (options.count) {
        ctx.font = "700 13px system-ui, sans-serif"; ctx.textAlign = "left"; ctx.textBaseline = "middle";
        ctx.lineWidth = 4; ctx.strokeStyle = paper; ctx.strokeText(options.count, x + 9, y);
        ctx.fillStyle = ink; ctx.fillText(options.count, x + 9, y);
      }
    },
  });
  const Mark = L.CircleMarker.extend({
    options: { radius: 9 },
    _updatePath() { this._renderer._updateMark(this); },
  });

  const map = L.map(place, { preferCanvas: true, attributionControl: false, zoomAnimation: false, fadeAnimation: false });
  L.control.scale().addTo(map);
  const marks = L.layerGroup().addTo(map);
  const background = L.layerGroup().addTo(map);
  const state = document.getElementById("in-view");
  const list = document.getElementById("systems");
  const more = document.getElementById("more");
  const first = [...list.children];
  const firstMore = [...more.childNodes];
  const towns = JSON.parse(place.dataset.towns);

  function drawBackground() {
    background.clearLayers();
    const view = map.getBounds(), across = view.getEast() - view.getWest();
    const step = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5].find((one) => across / one <= 12) || 10;
    const line = { color: getComputedStyle(place).borderTopColor, weight: 1, interactive: false };
    for (let at = Math.ceil(view.getWest() / step) * step; at < view.getEast(); at += step) {
      L.polyline([[view.getSouth(), at], [view.getNorth(), at]], line).addTo(background);
    }
    for (let at = Math.ceil(view.getSouth() / step) * step; at < view.getNorth(); at += step) {
      L.polyline([[at, view.getWest()], [at, view.getEast()]], line).addTo(background);
    }
    const taken = []; // a name that would lie on another is shown when the map is nearer
    for (const [name, latitude, longitude] of towns) {
      const { x, y } = map.latLngToContainerPoint([latitude, longitude]), width = 9 * name.length;
      if (taken.some((one) => Math.abs(one.y - y) < 24 && x < one.x + one.width && one.x < x + width)) continue;
      taken.push({ x, y, width });
      const label = document.createElement("span");
      label.textContent = name;
      const icon = L.divIcon({ className: "town", html: label, iconSize: null });
      L.marker([latitude, longitude], { icon, interactive: false, keyboard: false }).addTo(background);
    }
  }

  function entry(one) {
    const row = document.createElement("li"), link = document.createElement("a"), badge = document.createElement("span");
    link.href = `/desk/systems/${one.properties.id}`;
    link.textContent = one.properties.place.charAt(0).toUpperCase() + one.properties.place.slice(1);
    badge.className = `standing standing-${one.properties.standing}`;
    badge.textContent = words.get(one.properties.standing);
    row.append(link, " ", badge);
    return row;
  }

  function point(one, listing) {
    const [longitude, latitude] = one.geometry.coordinates, told = one.properties;
    const mark = new Mark([latitude, longitude], { kind: told.standing, count: told.count });
    if (told.count) {
      mark.on("click", () => map.setView([latitude, longitude], map.getZoom() + 2));
    } else {
      mark.bindPopup(() => {
        const box = document.createElement("ul");
        box.className = "systems";
        box.append(entry(one));
        return box;
      });
      const row = entry(one), link = row.querySelector("a");
      const grow = (large) => () => { mark.options.large = large; mark.redraw(); };
      link.addEventListener("focus", grow(true));
      link.addEventListener("blur", grow(false));
      row.addEventListener("mouseenter", grow(true));
      row.addEventListener("mouseleave", grow(false));
      if (listing && list.childElementCount < LISTED) list.append(row);
    }
    mark.addTo(marks);
  }

  function show(found) {
    marks.clearLayers();
    list.replaceChildren(...(found.whole ? [] : first));
    more.replaceChildren(...(found.whole ? [] : firstMore));
    for (const one of found.features) point(one, found.whole);
    const count = found.systems.toLocaleString("en-US");
    let said = `${count} ${found.systems === 1 ? "system" : "systems"} in view`;
    if (!found.whole) said += ": too many to tell apart, zoom in to see each. Listed are the first of all";
    else if (found.systems > LISTED) said += `, the first ${LISTED} are listed`;
    state.textContent = `${said}.`;
    place.dataset.drawn = String(marks.getLayers().length);
    place.dataset.systems = String(found.systems);
  }

  let asking = null;
  async function refresh() {
    drawBackground();
    const view = map.getBounds(), clamp = (value, most) => Math.max(-most, Math.min(most, value));
    const box = [clamp(view.getWest(), 180), clamp(view.getSouth(), 90), clamp(view.getEast(), 180), clamp(view.getNorth(), 90)];
    const query = new URLSearchParams(place.dataset.query);
    query.set("bbox", box.map((degrees) => degrees.toFixed(6)).join(","));
    asking?.abort();
    const mine = asking = new AbortController();
    delete place.dataset.drawn;
    try {
      const answer = await fetch(`${place.dataset.points}?${query}`, { signal: mine.signal });
      if (!answer.ok) throw new Error(answer.statusText);
      show(await answer.json());
    } catch (error) {
      if (error.name !== "AbortError") state.textContent = "The systems could not be fetched: move the map to try again.";
    }
  }

  const bounds = (place.dataset.bounds || "-92.9,42.5,-86.8,47.1").split(",").map(Number);
  map.on("moveend", refresh);
  map.fitBounds([[bounds[1], bounds[0]], [bounds[3], bounds[2]]], { maxZoom: 15, padding: [24, 24] });
})();
