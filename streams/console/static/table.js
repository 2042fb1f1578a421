// A table's page: the keys [ and ] go to the tables beside it.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  if (document.querySelector("dialog[open]") || localStorage.getItem("pitwatch-keys") === "off") return;
  const link = ["[", "]"].includes(event.key) && document.querySelector(`.tnav a[data-key="${event.key}"]`);
  if (link) { event.preventDefault(); link.click(); }
});
