"use strict";
/* A field to draw a signature in, beside the typed name: black on nothing, as a PNG in the form's field `drawn`. */
self.pads = (root) => {
  const LARGEST = 53000; // characters of the image, as the service takes it
  for (const pad of root.querySelectorAll("[data-pad]")) {
    const canvas = pad.querySelector("canvas");
    const field = pad.querySelector("[name=drawn]");
    const told = pad.querySelector("[data-told]");
    const pen = canvas.getContext("2d");
    pen.lineWidth = 3;
    pen.lineCap = pen.lineJoin = "round";
    pen.strokeStyle = "#000";
    pad.hidden = false;
    let from = null;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [((event.clientX - box.left) * canvas.width) / box.width, ((event.clientY - box.top) * canvas.height) / box.height];
    };
    const clear = () => {
      pen.clearRect(0, 0, canvas.width, canvas.height);
      field.value = "";
      told.textContent = "";
    };
    canvas.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      canvas.setPointerCapture(event.pointerId);
      from = at(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      const to = at(event);
      pen.beginPath();
      pen.moveTo(...from);
      pen.lineTo(...to);
      pen.stroke();
      from = to;
      field.dataset.touched = "yes";
    });
    const lift = () => {
      if (!from) return;
      from = null;
      if (!field.dataset.touched) return;
      const image = canvas.toDataURL("image/png");
      if (image.length > LARGEST) {
        clear();
        told.textContent = "This drawing is too large: draw it again with fewer lines, or type your name.";
        return;
      }
      field.value = image;
      told.textContent = "Your drawing is the signature; the typed name is left out.";
    };
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    pad.querySelector("button").addEventListener("click", clear);
    if (field.value) {
      const image = new Image();
      image.onload = () => pen.drawImage(image, 0, 0);
      image.src = field.value;
      pad.querySelector("details").open = true;
    }
  }
};
self.pads(document);
