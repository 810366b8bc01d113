// Keeps a dealer's screen as the table is, and its type as large as fits. A stream that is silent is lost: then it says
// so, because an old instruction must not be followed.
"use strict";
const SILENT_MS = 15000;
const LEAST = 0.3;
const screen_ = document.getElementById("screen");
const lost = document.getElementById("lost");
let watch;

function fits() {
  const work = screen_.querySelector(".work");
  const acts = screen_.querySelector("aside");
  return [work, acts].every((each) => each.scrollHeight <= each.clientHeight && each.scrollWidth <= each.clientWidth);
}

function fit() {
  for (let share = 1; share > LEAST; share -= 0.04) {
    document.body.style.setProperty("--fit", share.toFixed(2));
    if (fits()) return;
  }
}

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
    fit();
    heard();
  });
  stream.addEventListener("beat", heard);
  stream.addEventListener("error", () => isThere(false));
}

addEventListener("resize", fit);
document.fonts.ready.then(fit);
fit();
begin();
