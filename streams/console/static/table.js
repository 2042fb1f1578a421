// The keys of a table's page and of a round in full: [ and ] go to what is beside, Esc closes.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key.length === 1 && localStorage.getItem("pitwatch-keys") === "off") return;
  const link = ["[", "]", "Escape"].includes(event.key) && document.querySelector(`a[data-key="${event.key}"]`);
  if (link) { event.preventDefault(); link.click(); }
});
