// Numbers and times as people here write them.
"use strict";

const lang = document.documentElement.lang;
let ahead = 0; // the server's clock against ours, in ms

const clock = new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const day = new Intl.DateTimeFormat(lang, { dateStyle: "short", timeStyle: "medium", hour12: false });
const units = {};

function count(value, unit, digits) {
  const key = unit + digits;
  units[key] ||= new Intl.NumberFormat(lang, style(unit, digits));
  return units[key].format(value);
}

function style(unit, digits) {
  const rounded = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  if (!unit) return rounded;
  if (unit === "change") return { style: "percent", signDisplay: "exceptZero", maximumFractionDigits: 1 };
  return { style: "unit", unit, unitDisplay: "short", ...rounded };
}

function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return count(seconds, "second", 0);
  if (seconds < 3600) return count(Math.floor(seconds / 60), "minute", 0);
  if (seconds < 172800) return count(Math.floor(seconds / 360) / 10, "hour", 1);
  return count(Math.floor(seconds / 86400), "day", 0);
}

function shape(place) {
  for (const each of place.querySelectorAll("data[value]")) {
    each.textContent = count(Number(each.value), each.dataset.unit || "", Number(each.dataset.digits || 0));
  }
  for (const each of place.querySelectorAll("time[data-at]")) {
    const at = Number(each.dataset.at);
    each.textContent = (Date.now() + ahead - at < 43200000 ? clock : day).format(at);
  }
  age(place);
}

function age(place) {
  const now = Date.now() + ahead;
  for (const each of place.querySelectorAll("time[data-age]")) {
    const told = duration(now - Number(each.dataset.age));
    if (each.textContent !== told) each.textContent = told;
  }
}

shape(document);
