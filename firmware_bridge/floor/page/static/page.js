// Keeps a page up to date: replaces the parts that the server sends, greys the page while nothing comes.
"use strict";

const QUIET_MS = 7500; // three beats
const AGAIN_MS = 5000;
const STORED_MS = 4000;
const body = document.body;
const words = body.dataset;
const byId = (id) => document.getElementById(id);

let source = null;
let heard = 0;
let known = null; // the alarms that were announced
const shown = new Map(); // part -> as it was brought
const past = byId("past"); // what the store has of a table
let soon = 0;

function connect() {
  source = new EventSource(words.stream);
  source.addEventListener("beat", (event) => alive(event));
  source.addEventListener("parts", (event) => {
    alive(event);
    apply(JSON.parse(event.data));
  });
  source.onerror = () => {
    lost(words.lost);
    if (source.readyState === EventSource.CLOSED) {
      source.close();
      refused();
      setTimeout(connect, AGAIN_MS);
    }
  };
}

async function refused() {
  // EventSource does not tell a status: a HEAD does, and opens no stream.
  try {
    const answer = await fetch(words.stream, { method: "HEAD", cache: "no-store" });
    if (answer.status === 503) lost(words.fullNow);
    if (answer.status === 401) location.reload(); // the session is over: sign in again
  } catch {
    // the server is away: that was said already
  }
}

function alive(event) {
  heard = performance.now();
  const [now, release] = (event.lastEventId || "").split(" ", 2);
  if (now) ahead = Number(now) - Date.now();
  if (release && decodeURIComponent(release) !== words.release) location.reload();
  if (body.classList.contains("live")) return;
  body.classList.add("live");
  body.classList.remove("lost");
  byId("link").textContent = words.live;
  byId("banner").hidden = true;
}

function lost(why) {
  if (body.classList.contains("lost") && byId("banner").textContent === why) return;
  body.classList.remove("live");
  body.classList.add("lost");
  byId("link").textContent = words.connecting;
  byId("banner").textContent = why;
  byId("banner").hidden = false;
  say(why);
}

function say(text) {
  const line = document.createElement("span");
  line.textContent = text + " ";
  byId("news").replaceChildren(line);
}

function apply(parts) {
  keepingFocus(() => {
    if (typeof wall !== "undefined") wall.take(parts);
    for (const [id, html] of Object.entries(parts)) {
      const place = byId(id);
      if (place && shown.get(id) !== html) draw(place, html || "");
      else if (!place && html && (id === "now" || id === "roads")) {
        location.reload(); // the table was unknown, or another game is dealt: the page has other sections
      }
      html === null ? shown.delete(id) : shown.set(id, html);
    }
    if (parts.title) document.title = parts.title;
    if (past && ("rounds" in parts || "alarms" in parts)) remember();
    if (parts.icon) document.querySelector("link[rel=icon]").href = parts.icon;
  });
  announce();
}

function draw(place, html) {
  const scrolled = [...place.querySelectorAll(".scroll")].map((each) => [each.id, each.scrollLeft]);
  const unfolded = [...place.querySelectorAll("details[open][id]")].map((each) => each.id);
  place.innerHTML = html;
  for (const inner of unfolded) if (byId(inner)) byId(inner).open = true;
  for (const [inner, left] of scrolled) if (byId(inner)) byId(inner).scrollLeft = left;
  shape(place);
}

function remember() {
  // the store has a round or an alarm a little later than the broker
  clearTimeout(soon);
  soon = setTimeout(recall, past.hasChildNodes() ? STORED_MS : 0);
}

async function recall() {
  try {
    const answer = await fetch(past.dataset.from, { cache: "no-store" });
    const html = await answer.text();
    if (answer.status !== 401 && shown.get("past") !== html) keepingFocus(() => draw(past, html));
    shown.set("past", html);
  } catch {
    // the server is away: that was said already
  }
}

function keepingFocus(change) {
  const focused = document.activeElement;
  const id = focused && focused !== body ? focused.id : "";
  change();
  if (focused && focused !== document.activeElement) (focused.isConnected ? focused : byId(id))?.focus();
}

function announce() {
  const open = new Map();
  for (const each of document.querySelectorAll("[data-alarm]")) open.set(each.dataset.alarm, each.dataset.spoken);
  if (known !== null) {
    const opened = [...open.keys()].filter((key) => !known.has(key));
    const tables = new Set([...open.keys()].map((key) => key.split("/")[0]));
    const gone = [...known.keys()].filter((key) => !open.has(key)).map((key) => key.split("/")[0]);
    const quiet = [...new Set(gone)].filter((table) => !tables.has(table));
    const told = [...opened.map((key) => open.get(key)), ...quiet.map((table) => words.closed.replace("{table}", table))];
    if (told.length) say(told.join(". "));
  }
  known = open;
}

setInterval(() => {
  age(document);
  if (heard && performance.now() - heard > QUIET_MS) lost(words.lost);
}, 1000);

announce();
connect();
