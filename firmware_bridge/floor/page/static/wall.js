// Places the tables on the wall as the server says, and holds their order while a pointer or a key is in use there.
"use strict";

const wall = (() => {
  const HOLD_MS = 10000;
  const LISTS = { blocked: "trouble", silent: "trouble", critical: "trouble", alarm: "trouble", closed: "closed" };
  const get = (id) => document.getElementById(id);
  const root = get("wall");
  const find = get("find");
  const bell = get("bell");
  const places = new Map(); // name -> { need, key, fold }
  const summaries = new Map(); // fold -> its line
  let names = null; // in their natural order
  let heldUntil = 0;
  let waits = false;
  let called = null; // the tables that were blocked or gone
  let sound = null;

  function take(parts) {
    let moves = false;
    for (const [id, value] of Object.entries(parts)) {
      if (id === "tables") names = value === null ? null : JSON.parse(value);
      else if (id.startsWith("p-")) place(id.slice(2), value);
      else if (id.startsWith("f-")) value === null ? summaries.delete(id.slice(2)) : summaries.set(id.slice(2), value);
      else continue;
      moves = true;
    }
    if (names === null || !moves) return;
    const known = new Set(names);
    for (const each of [...places.keys()]) if (!known.has(each)) place(each, null);
    for (const tile of root.querySelectorAll("[id^='tile-']")) if (!known.has(tile.id.slice(5))) tile.remove();
    for (const name of names) if (places.has(name)) show(name);
    waits = true;
    if (performance.now() >= heldUntil) arrange();
    get("held").hidden = !waits;
    search();
    call();
  }

  // ------------------------------------------------------------ sound and notification, for who wants them

  function wanted() {
    return new Set([...places].filter(([, { need }]) => need === "blocked" || need === "silent").map(([name]) => name));
  }

  function call() {
    const now = wanted();
    const more = called !== null && [...now].some((name) => !called.has(name));
    called = now;
    if (!more || !bell.checked) return;
    for (const at of [0, 0.25]) {
      const tone = sound.createOscillator();
      tone.connect(sound.destination);
      tone.start(sound.currentTime + at);
      tone.stop(sound.currentTime + at + 0.15);
    }
    if ("Notification" in window && Notification.permission === "granted" && document.hidden) {
      const fresh = [...now].map((name) => name + ": " + get("tile-" + name).querySelector(".badge").textContent);
      new Notification(document.title, { body: fresh.join(", "), tag: "wall" });
    }
  }

  function ring() {
    if (!bell.checked) return;
    sound ||= new AudioContext();
    sound.resume();
    if ("Notification" in window && Notification.permission === "default") Notification.requestPermission();
  }

  function place(name, value) {
    if (value === null) places.delete(name);
    else {
      const [need, key, ...fold] = value.split(" ");
      places.set(name, { need, key, fold: fold.join(" ") });
    }
  }

  function show(name) {
    const { need } = places.get(name);
    const tile = get("tile-" + name) || made(name);
    if (tile.className !== "is-" + need) tile.className = "is-" + need;
  }

  function made(name) {
    const tile = get("tile-frame").content.firstElementChild.cloneNode(true);
    tile.id = "tile-" + name;
    const link = tile.querySelector("a");
    link.href = "/table/" + encodeURIComponent(name) + link.getAttribute("href");
    link.textContent = name;
    tile.dataset.wide = (name.length > 5) + (name.length > 14);
    const [state, seals] = tile.querySelectorAll(":scope > div");
    state.id = "t-" + name;
    seals.id = "s-" + name;
    get("fine").append(tile);
    return tile;
  }

  function foldOf(id) {
    let fold = get("fold-" + id);
    if (!fold) {
      fold = get("fold-frame").content.firstElementChild.cloneNode(true);
      fold.id = "fold-" + id;
      fold.querySelector("summary").id = "f-" + id;
      get("trouble").append(fold);
    }
    const line = fold.querySelector("summary");
    if (!line.firstChild) {
      line.innerHTML = summaries.get(id);
      shape(line);
    }
    return fold;
  }

  function arrange() {
    waits = false;
    const lists = { trouble: [], fine: [], closed: [] };
    const folds = new Map();
    for (const name of names) {
      const known = places.get(name);
      if (!known) continue;
      const entry = { key: known.key, element: get("tile-" + name) };
      if (!summaries.has(known.fold)) lists[LISTS[known.need] || "fine"].push(entry);
      else if (folds.has(known.fold)) folds.get(known.fold).push(entry);
      else folds.set(known.fold, [entry]);
    }
    for (const [id, entries] of folds) {
      const element = foldOf(id);
      put(element.querySelector("ul"), entries);
      lists.trouble.push({ key: entries[0].key, element });
    }
    for (const [id, entries] of Object.entries(lists)) put(get(id), entries);
    for (const each of root.querySelectorAll(".fold")) if (!folds.has(each.id.slice(5))) each.remove();
  }

  function put(list, entries) {
    entries.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
    entries.forEach(({ element }, at) => {
      if (list.children[at] !== element) list.insertBefore(element, list.children[at] || null);
    });
  }

  function hold() {
    heldUntil = performance.now() + HOLD_MS;
  }

  function release() {
    heldUntil = 0;
    if (waits) keepingFocus(arrange);
    get("held").hidden = true;
  }

  function search() {
    const wanted = find.value.trim().toLowerCase();
    for (const tile of root.querySelectorAll("[id^='tile-']")) {
      tile.hidden = !tile.id.slice(5).toLowerCase().includes(wanted);
    }
    if (wanted) for (const each of root.querySelectorAll("details")) each.open = true;
  }

  function address(key, value) {
    const url = new URL(location.href);
    value ? url.searchParams.set(key, value) : url.searchParams.delete(key);
    history.replaceState(null, "", url);
  }

  function filter(event) {
    const link = event.target.closest("[data-show]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const show = link.dataset.show === root.dataset.show ? "" : link.dataset.show;
    show ? (root.dataset.show = show) : delete root.dataset.show;
    get("shut").open = show === "closed";
    address("show", show);
    for (const each of get("bar").querySelectorAll("[data-show]")) {
      each.dataset.show === show ? each.setAttribute("aria-current", "true") : each.removeAttribute("aria-current");
    }
  }

  for (const kind of ["pointermove", "pointerdown", "wheel", "keydown"]) root.addEventListener(kind, hold, { passive: true });
  root.addEventListener("pointerleave", () => root.contains(document.activeElement) || release());
  root.addEventListener("focusin", hold);
  setInterval(() => waits && performance.now() >= heldUntil && release(), 500);
  get("bar").addEventListener("click", filter);
  bell.addEventListener("change", ring);
  bell.parentElement.hidden = false;
  find.form.addEventListener("submit", (event) => event.preventDefault());
  find.addEventListener("input", () => {
    address("find", find.value.trim());
    search();
  });
  return { take };
})();
