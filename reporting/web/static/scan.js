"use strict";
/* The code on a letter or a tank, read by the phone's camera; pictures stay on the phone. */
(() => {
  const place = document.getElementById("scan");
  const start = document.getElementById("scan-start");
  const stop = document.getElementById("scan-stop");
  const video = document.getElementById("scan-video");
  const told = document.getElementById("scan-told");
  const OFTEN = 250; // milliseconds between two looks
  const WIDTH = 640; // pixels are enough for a code that fills a quarter of the picture
  let stream = null;

  const say = (text) => {
    told.textContent = text;
  };
  const end = () => {
    if (stream) for (const track of stream.getTracks()) track.stop();
    stream = null;
    video.srcObject = null;
    video.hidden = stop.hidden = true;
    start.hidden = false;
  };
  /* Where a code leads; what is not of this service leads nowhere. */
  const lead = (text) => {
    let found = null;
    try {
      found = new URL(text);
    } catch {
      // no address at all
    }
    const system = found && /^\/s\/([\w-]+)$/.exec(found.pathname);
    if (system && [location.origin, new URL(place.dataset.base).origin].includes(found.origin)) {
      say("Found: the form opens.");
      location.assign(`/report?s=${system[1]}`);
    } else say(`This code is not of this service, it says “${text.slice(0, 60)}”. Scan the one on a letter of the county or on the tank, or type the permit number.`);
  };
  const load = (path) => new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = path;
    script.onload = done;
    script.onerror = fail;
    document.head.append(script);
  });
  /* Gives a function from the video to the text of a code in it, or nothing. */
  const reader = async () => {
    const formats = "BarcodeDetector" in window ? await BarcodeDetector.getSupportedFormats() : [];
    if (formats.includes("qr_code")) {
      const detector = new BarcodeDetector({ formats: ["qr_code"] });
      return async () => ((await detector.detect(video))[0] || {}).rawValue;
    }
    if (!window.jsQR) await load(place.dataset.decoder);
    const canvas = document.createElement("canvas");
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    return async () => {
      canvas.width = WIDTH;
      canvas.height = Math.round((WIDTH * video.videoHeight) / video.videoWidth);
      pen.drawImage(video, 0, 0, canvas.width, canvas.height);
      const picture = pen.getImageData(0, 0, canvas.width, canvas.height);
      return (jsQR(picture.data, picture.width, picture.height) || {}).data;
    };
  };
  const scan = async () => {
    start.hidden = true;
    say("Hold the code before the camera.");
    try {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
      video.srcObject = stream;
      video.hidden = stop.hidden = false;
      await video.play();
      const read = await reader();
      while (stream) {
        const text = video.videoWidth ? await read() : "";
        if (text) {
          end();
          lead(text);
        } else await new Promise((done) => setTimeout(done, OFTEN));
      }
    } catch {
      end();
      say("The camera cannot be used here: type the permit number.");
    }
  };
  const begin = async () => {
    const cameras = navigator.mediaDevices ? await navigator.mediaDevices.enumerateDevices() : [];
    if (!cameras.some((one) => one.kind === "videoinput")) return;
    place.hidden = false;
    start.addEventListener("click", scan);
    stop.addEventListener("click", () => {
      end();
      say("");
    });
    window.addEventListener("pagehide", end);
  };
  begin();
})();
