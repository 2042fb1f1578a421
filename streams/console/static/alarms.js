// The alarms page, and the acts on every page: dialogs, keys, the list that changes without moving
// under the hand. An act is done when the alarm's own new record says so; the row changes with it.
"use strict";

(() => {
  const { tell } = window.pitwatch;
  const byId = (id) => document.getElementById(id);
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const table = byId("alarm-table");
  const rowsOf = () => all("#alarm-rows tr[data-alarm]");
  const shown = () => rowsOf().filter((row) => row.offsetParent !== null);
  const feedless = () => document.body.classList.contains("feedless");

  function parsed(html) {
    const template = document.createElement("template");
    template.innerHTML = html.trim();
    return template.content.firstElementChild;
  }

  // --- The list. What is in it changes at once; what is new waits while a hand or the focus is in it.

  let held = null; // the newest body of the list, not let in yet
  let asking = false;
  let again = false;
  let always = new URLSearchParams(location.search).get("flood") === "show"; // floods too that come later
  let current = null;

  const handIn = () => table && (table.contains(document.activeElement) || (matchMedia("(hover: hover)").matches && table.matches(":hover")));

  function params() {
    const form = byId("alarm-filter");
    const query = new URLSearchParams(new FormData(form));
    if (!query.getAll("g").length) query.set("none", "1");
    return query;
  }

  function selected() { return new Set(all("#alarm-rows input:checked").map((box) => box.value)); }

  function select(chosen) {
    for (const box of all("#alarm-rows input[type=checkbox]")) box.checked = chosen.has(box.value);
    showBulk();
  }

  function showBulk() {
    const many = selected().size;
    byId("bulk").hidden = many === 0;
    byId("bulk").querySelector(".how-many").textContent = `${many} selected`;
  }

  function placeOf(row) {
    const active = document.activeElement;
    return row && row.contains(active) ? { id: row.id, place: all("a, button, input", row).indexOf(active) } : null;
  }

  function focusAt(place) {
    const row = place && byId(place.id);
    if (!row) return false;
    const target = all("a, button, input", row)[place.place] || row.querySelector("th a");
    target.focus({ preventScroll: true });
    return true;
  }

  function setCurrent(id) {
    current = id;
    for (const row of rowsOf()) {
      const is = row.dataset.alarm === id;
      if (is) row.setAttribute("aria-current", "true"); else row.removeAttribute("aria-current");
      row.querySelector("th a").tabIndex = is ? 0 : -1;
    }
    const first = rowsOf()[0];
    if (first && !table.querySelector('th a[tabindex="0"]')) first.querySelector("th a").tabIndex = 0;
  }

  function letIn(fresh) {
    const known = new Set(rowsOf().map((row) => row.id));
    const chosen = selected();
    const active = document.activeElement.closest("#alarm-rows tr");
    const place = placeOf(active);
    byId("alarm-rows").replaceWith(fresh);
    for (const row of all("tr.unack", fresh)) if (!known.has(row.id)) row.classList.add("new");
    held = null;
    select(chosen);
    setCurrent(current);
    focusAt(place);
    note();
    showRefusals();
    window.pitwatch.countAges(fresh);
  }

  function takeRows(html) {
    const fresh = parsed(`<table>${html}</table>`).tBodies[0];
    if (!handIn()) { letIn(fresh); return; }
    for (const row of all("tr[data-alarm]", fresh)) {
      const there = byId(row.id);
      if (!there) continue;
      const place = placeOf(there);
      const box = there.querySelector("input");
      const copy = row.cloneNode(true);
      copy.querySelector("input").checked = box.checked;
      there.replaceWith(copy);
      focusAt(place);
    }
    for (const row of rowsOf()) {
      if (fresh.querySelector(`#${CSS.escape(row.id)}`)) continue;
      row.className = "past gone";
      const chip = row.querySelector(".state");
      chip.textContent = "Closed";
      chip.className = "state";
      const glyph = row.querySelector(".g");
      if (glyph) glyph.classList.replace("unack", "past") || glyph.classList.replace("rtn", "past") || glyph.classList.replace("ack", "past");
      for (const act of all(".act", row)) act.remove();
    }
    held = fresh;
    setCurrent(current);
    note();
    showRefusals();
    window.pitwatch.countAges(byId("alarm-rows"));
  }

  function note() {
    const place = byId("alarm-note");
    const fresh = held ? all("tr[data-alarm]", held).filter((row) => !byId(row.id)).length : 0;
    if (fresh) place.textContent = `${fresh} new above`;
    else if (/ new above$/.test(place.textContent)) place.textContent = "";
  }

  async function refresh() {
    if (!table) return;
    if (asking) { again = true; return; }
    asking = true;
    try {
      const answer = await fetch(`/alarms/list?${params()}`, { headers: { accept: "application/json", "x-background": "1" } });
      if (answer.status === 401) { location.reload(); return; }
      if (answer.ok) {
        const parts = await answer.json();
        const unfolded = table.classList.contains("unfolded");
        const hadFlood = Boolean(byId("flood"));
        for (const id of ["alarms-head", "alarm-groups"]) {
          const old = byId(id);
          const inside = old.contains(document.activeElement) ? document.activeElement : null;
          const key = inside && (inside.id || inside.value);
          const fresh = parsed(parts[id]);
          if (fresh.outerHTML === old.outerHTML) continue;
          old.replaceWith(fresh);
          if (key) { const target = all("[id], [value]", fresh).find((each) => each.id === key || each.value === key); if (target) target.focus(); }
        }
        if (hadFlood !== Boolean(byId("flood"))) tell(hadFlood ? "The alarm flood ended." : byId("flood").querySelector("b").textContent);
        showFold(always || (unfolded && Boolean(byId("flood"))));
        takeRows(parts["alarm-rows"]);
        if (current) showDetail(current, true);
      }
    } catch { /* the feed says that the console does not answer */ }
    asking = false;
    if (again) { again = false; setTimeout(refresh, 500); }
  }

  function showFold(open) {
    table.classList.toggle("unfolded", open);
    const button = byId("unfold");
    if (button) {
      button.setAttribute("aria-pressed", String(open));
      const many = button.textContent.match(/\d+/);
      button.firstChild.textContent = `${open ? "Fold" : "Show"} the ${many ? many[0] : ""} `;
    }
  }

  let wanted = null;

  async function showDetail(id, quiet = false) {
    if (!byId("alarm-detail")) return;
    wanted = id;
    try {
      // What the page asks for by itself keeps nobody's session awake.
      const headers = quiet ? { "x-background": "1" } : {};
      const answer = await fetch(`/alarms/detail?alarm=${encodeURIComponent(id)}`, { headers });
      if (!answer.ok || wanted !== id) return;
      const fresh = parsed(await answer.text());
      const old = byId("alarm-detail");
      if (quiet && (old.contains(document.activeElement) || old.outerHTML === fresh.outerHTML)) return;
      old.replaceWith(fresh);
      guard();
    } catch { /* as above */ }
  }

  // --- Acts: a dialog from the console, shown as a modal one; its form is answered in words.

  let backTo = null;

  function guard() {
    for (const act of all("a.act:not([aria-disabled])")) if (feedless()) { act.setAttribute("aria-disabled", "true"); act.dataset.held = "1"; act.title = "waits for the feed"; }
    if (!feedless()) for (const act of all("a.act[data-held]")) { act.removeAttribute("aria-disabled"); act.removeAttribute("title"); delete act.dataset.held; }
  }

  async function open(link) {
    if (link.getAttribute("aria-disabled") === "true" || feedless()) {
      tell(feedless() ? "Acts wait for the feed." : link.title);
      return;
    }
    const query = new URLSearchParams();
    if (link.hasAttribute("data-bulk")) for (const id of selected()) query.append("alarm", id);
    else if (link.hasAttribute("data-flood")) query.set("flood", "1");
    else query.append("alarm", new URL(link.href).searchParams.get("alarm"));
    let answer;
    try { answer = await fetch(`/alarms/ask/${link.dataset.act}?${query}`); }
    catch { tell("The console does not answer; ask again when the feed is back."); return; }
    if (!answer.ok) { tell(answer.status === 401 ? "Sign in again." : "The alarm is not known any more."); return; }
    const old = byId("ask");
    if (old) old.remove();
    const dialog = parsed(await answer.text());
    (byId("ask-place") || document.body).append(dialog);
    const row = link.closest("tr, .al");
    backTo = row ? row.id : (query.get("alarm") && byId(`r-${query.get("alarm")}`) ? `r-${query.get("alarm")}` : link.id || null);
    show(dialog);
  }

  function show(dialog) {
    dialog.removeAttribute("open");
    dialog.showModal();
    const button = dialog.querySelector("button[autofocus]");
    const act = dialog.querySelector("form").dataset.act;
    const first = ["out_of_service", "comment"].includes(act) ? dialog.querySelector("textarea") : button;
    first.focus();
    dialog.addEventListener("close", () => { dialog.remove(); back(); });
  }

  // The browser gives the focus back itself, but for a row that was made anew meanwhile: then it is
  // nowhere, or still in the dialog. This runs a while after, when the next key may have moved it on.
  function back() {
    const active = document.activeElement;
    if (active && active !== document.body && !active.closest("dialog")) return;
    const row = backTo && byId(backTo);
    const target = row && (row.querySelector("th a, b a") || row);
    if (target && !document.querySelector("dialog[open]")) target.focus();
  }

  function toNext() {
    const rows = shown();
    const from = Math.max(0, rows.findIndex((row) => row.id === backTo));
    const order = [...rows.slice(from + 1), ...rows.slice(0, from + 1)];
    const next = order.find((row) => row.matches(".unack, .rtn"));
    if (!next) { back(); return; }
    backTo = next.id;
    setCurrent(next.dataset.alarm);
    next.querySelector("th a").focus();
    showDetail(next.dataset.alarm);
  }

  function fault(form, text) {
    const place = form.querySelector("#ask-fault");
    place.hidden = false;
    place.querySelector(".why").textContent = text;
    const words = form.querySelector("textarea");
    words.setAttribute("aria-invalid", "true");
    words.setAttribute("aria-describedby", "ask-fault");
    words.focus();
    tell(text);
  }

  async function send(form) {
    const dialog = form.closest("dialog");
    const data = new URLSearchParams(new FormData(form));
    const asked = data.getAll("alarm");
    const button = form.querySelector("button.main");
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    for (const id of asked) { const row = byId(`r-${id}`); if (row) row.setAttribute("aria-busy", "true"); }
    let answer = null;
    let result = {};
    try {
      answer = await fetch(form.action, { method: "POST", body: data, headers: { accept: "application/json" } });
      if ((answer.headers.get("content-type") || "").includes("json")) result = await answer.json();
      else result = { say: (await answer.text()).slice(0, 300) };
    } catch { result = { say: "The console does not answer; look whether the act was done, then ask again." }; }
    button.removeAttribute("aria-disabled");
    for (const id of asked) { const row = byId(`r-${id}`); if (row) row.removeAttribute("aria-busy"); }
    if (result.fault) { fault(form, result.fault); return; }
    const went = result.done && result.done.length > 0;
    const keep = backTo;
    if (went) backTo = null;
    dialog.close();
    backTo = keep;
    const line = byId("alarm-note");
    tell(result.say || "The act was not done.");
    if (line) line.textContent = result.say || "The act was not done.";
    for (const id of asked) refusals.delete(id);
    for (const [id, why] of Object.entries(result.refused || {})) refusals.set(id, why);
    showRefusals();
    if (went) { for (const id of result.done) { const box = byId(`r-${id}`)?.querySelector("input"); if (box) box.checked = false; } if (byId("bulk")) showBulk(); }
    await refresh();
    showRefusals();
    if (went && table) toNext(); else back();
  }

  const refusals = new Map();

  function showRefusals() { for (const [id, why] of refusals) refuse(id, why); }

  function refuse(id, why) {
    const row = byId(`r-${id}`) || byId(`a-${id}`);
    if (!row) return;
    const cell = row.querySelector("td.wrap") || row.querySelector("div");
    const old = cell.querySelector(".refused");
    if (old) old.remove();
    const line = document.createElement("span");
    line.className = "sub err refused";
    line.append(Object.assign(document.createElement("span"), { className: "tag", textContent: "!" }), ` Refused: ${why}`);
    cell.append(line);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.act");
    if (link && !event.ctrlKey && !event.metaKey) { event.preventDefault(); open(link); return; }
    if (event.target.closest("[data-cancel]")) { event.preventDefault(); byId("ask").close(); return; }
    const row = table && event.target.closest("#alarm-rows tr[data-alarm]");
    if (row && !event.ctrlKey && !event.metaKey && !event.target.closest("label, input, .act")) {
      if (event.target.closest("a")) event.preventDefault();
      setCurrent(row.dataset.alarm);
      showDetail(row.dataset.alarm);
    }
    if (event.target.closest("#unfold")) { event.preventDefault(); always = false; showFold(!table.classList.contains("unfolded")); }
    if (event.target.closest("#unselect")) select(new Set());
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.closest("#ask")) { event.preventDefault(); send(form); return; }
    if (form.id === "alarm-filter") { event.preventDefault(); turn(event.submitter); }
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("#ask input[name=minutes]")) for (const place of all("#ask .until")) place.textContent = event.target.dataset.until;
    if (event.target.matches("#alarm-rows input")) showBulk();
    if (event.target.id === "pit") { held = null; filtered(); }
  });

  // --- Filter: groups are pressed in and out, words narrow at once.

  function turn(button) {
    if (button && button.name === "toggle") {
      const form = byId("alarm-filter");
      const there = form.querySelector(`input[name=g][value="${button.value}"]`);
      if (there) there.remove();
      else form.prepend(Object.assign(document.createElement("input"), { type: "hidden", name: "g", value: button.value }));
    }
    filtered();
  }

  async function filtered() {
    history.replaceState(null, "", `/alarms?${params()}`);
    await refresh();
    if (held) letIn(held);
    tell(`${shown().length} alarms shown.`);
  }

  let typing = 0;
  if (table) byId("filter").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(filtered, 250); });

  // --- Keys, while the list has the focus.

  const CANNOT = { acknowledge: "acknowledged", shelve: "shelved", unshelve: "put back", in_service: "put back in service" };

  function press(row, act) {
    const button = row.querySelector(`.act[data-act="${act}"]`);
    if (button) { open(button); return; }
    const inDetail = byId("alarm-detail").dataset.alarm === row.dataset.alarm && byId("alarm-detail").querySelector(`.act[data-act="${act}"]`);
    if (inDetail) { open(inDetail); backTo = row.id; return; }
    if (act === "comment") { const link = document.createElement("a"); link.href = `/alarms?alarm=${row.dataset.alarm}&act=comment`; link.dataset.act = "comment"; row.querySelector("th").append(link); open(link); link.remove(); backTo = row.id; return; }
    tell(`This alarm cannot be ${CANNOT[act]} as it stands.`);
  }

  function inList(event, row) {
    const rows = shown();
    const from = rows.indexOf(row);
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, Home: -from, End: rows.length - 1 - from }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      const to = rows[Math.max(0, Math.min(rows.length - 1, from + by))];
      setCurrent(to.dataset.alarm);
      to.querySelector("th a").focus();
      showDetail(to.dataset.alarm);
      return;
    }
    const act = { a: "acknowledge", s: "shelve", c: "comment" }[event.key];
    if (act) { event.preventDefault(); press(row, act); return; }
    switch (event.key) {
      case "u": event.preventDefault(); press(row, row.dataset.state === "out_of_service" ? "in_service" : "unshelve"); break;
      case "x": event.preventDefault(); row.querySelector("input").click(); break;
      case "o": event.preventDefault(); location.assign(row.querySelector("th a").dataset.open); break;
      case "f": if (byId("unfold")) { event.preventDefault(); byId("unfold").click(); tell(table.classList.contains("unfolded") ? "The flood is shown." : "The flood is folded."); } break;
      case "/": event.preventDefault(); byId("filter").focus(); break;
      case "?": event.preventDefault(); backTo = row.id; byId("all-keys").showModal(); break;
      default:
    }
  }

  const letters = () => localStorage.getItem("pitwatch-keys") !== "off";

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (event.target.id === "filter" && event.key === "Escape") { const first = shown()[0]; if (first) first.querySelector("th a").focus(); return; }
    if (event.target.matches("input:not([type=checkbox]), select, textarea")) return;
    if (event.key.length === 1 && !letters()) return;
    const row = table && event.target.closest("#alarm-rows tr[data-alarm]");
    if (row) inList(event, row);
  });

  // --- Start.

  new MutationObserver(guard).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  document.addEventListener("pitwatch:frame", (event) => { if (event.detail.swap && "alarm-list" in event.detail.swap) refresh(); });
  function applyRights() { if (byId("table-alarms")) window.pitwatch.applyRights(byId("table-alarms")); }

  document.addEventListener("pitwatch:panels", applyRights);
  applyRights();
  guard();
  if (table) {
    const chosen = byId("alarm-detail").dataset.alarm || null;
    setCurrent(chosen);
    showFold(table.classList.contains("unfolded"));
    table.addEventListener("focusin", (event) => { const row = event.target.closest("tr[data-alarm]"); if (row && row.dataset.alarm !== current) { setCurrent(row.dataset.alarm); showDetail(row.dataset.alarm); } });
    setInterval(() => { if (held && !handIn()) letIn(held); }, 500);
    const toggle = byId("single-keys");
    const say = () => { toggle.setAttribute("aria-pressed", String(letters())); toggle.textContent = letters() ? "Single letters on" : "Single letters off"; };
    toggle.addEventListener("click", () => { localStorage.setItem("pitwatch-keys", letters() ? "off" : "on"); say(); });
    byId("all-keys").addEventListener("close", back);
    say();
    const open_ = byId("ask");
    if (open_) show(open_);
  }

})();
