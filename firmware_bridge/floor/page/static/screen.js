// Keeps a screen of guests or of the dealer as the table is. A stream that is silent for three beats is lost: then the
// screen says so, because what it shows is old. After each change it sends the event `drawn`.
"use strict";
const SILENT_MS = 15000;
const screen_ = document.getElementById("screen");
const lost = document.getElementById("lost");
let watch;

function isThere(yes) {
  document.body.classList.toggle("lost", !yes);
  document.body.classList.toggle("live", yes);
  screen_.toggleAttribute("inert", !yes);
  lost.hidden = yes;
}

function heard() {
  clearTimeout(watch);
  watch = setTimeout(begin, SILENT_MS);
  isThere(true);
}

let stream;
function begin() {
  if (stream) {
    stream.close();
    isThere(false);
  }
  clearTimeout(watch);
  watch = setTimeout(begin, SILENT_MS);
  stream = new EventSource(location.pathname + "/stream" + location.search);
  stream.addEventListener("parts", (event) => {
    screen_.innerHTML = JSON.parse(event.data).screen;
    screen_.dispatchEvent(new Event("drawn"));
    heard();
  });
  stream.addEventListener("beat", heard);
  stream.addEventListener("error", () => isThere(false));
}

begin();
