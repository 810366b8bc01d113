// Keeps the type of a dealer's screen as large as fits; screen.js keeps what it shows.
"use strict";
const LEAST = 0.3;

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

screen_.addEventListener("drawn", fit);
addEventListener("resize", fit);
document.fonts.ready.then(fit);
fit();
