// Keeps a screen of guests or of the dealer as the table is. A stream that is silent for three beats is lost: then the
// screen says so, because what it shows is old. It loads its page again when the office or another release asks for it.
// After each change it sends the event `drawn`.
"use strict";
const SILENT_MS = 7500;
const BEAT_MS = 30000;
const screen_ = document.getElementById("screen");
const lost = document.getElementById("lost");
const release = document.documentElement.dataset.release;
let watch, reloads;

function isThere(yes) {
  document.body.classList.toggle("lost", !yes);
  document.body.classList.toggle("live", yes);
  screen_.toggleAttribute("inert", !yes);
  lost.hidden = yes;
}

function heard(event) {
  clearTimeout(watch);
  watch = setTimeout(begin, SILENT_MS);
  const [, now] = (event.lastEventId || "").split(" ", 2);
  if (release && now && decodeURIComponent(now) !== release) location.reload();
  isThere(true);
}

function draw(parts) {
  if (parts.screen !== undefined) {
    screen_.innerHTML = parts.screen;
    screen_.dispatchEvent(new Event("drawn"));
  }
  if (parts.reload === undefined) return;
  const asked = Number(parts.reload); // a page that was started again counts from 0
  if (reloads !== undefined && asked > reloads) location.reload();
  reloads = asked;
}

function named() {
  // The office's list tells screens of one address apart by it, as long as the browser keeps it.
  let kept = null;
  try {
    kept = localStorage.getItem("screen");
  } catch {
    // it keeps nothing
  }
  if (kept) return kept;
  const parts = Array.from(crypto.getRandomValues(new Uint8Array(4)), (each) => each.toString(16).padStart(2, "0"));
  try {
    localStorage.setItem("screen", parts.join(""));
  } catch {
    // it keeps nothing
  }
  return parts.join("");
}

const id = named();
function address(last) {
  const query = new URLSearchParams(location.search);
  query.set("window", `${innerWidth}x${innerHeight}`);
  query.set("id", id);
  return `${location.pathname}/${last}?${query}`;
}

async function beat() {
  // The server cannot see whether a stream is read: this says so.
  if (!document.body.classList.contains("live")) return;
  try {
    await fetch(address("beat"), { cache: "no-store" });
  } catch {
    // the stream says it
  }
}

let stream;
function begin() {
  if (stream) {
    stream.close();
    isThere(false);
  }
  clearTimeout(watch);
  watch = setTimeout(begin, SILENT_MS);
  stream = new EventSource(address("stream"));
  stream.addEventListener("parts", (event) => {
    draw(JSON.parse(event.data));
    heard(event);
  });
  stream.addEventListener("beat", heard);
  stream.addEventListener("error", () => isThere(false));
}

begin();
if (screen_.dataset.beats) setInterval(beat, BEAT_MS);
