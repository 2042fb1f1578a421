// The script of every page: follows the feed, swaps what changed without moving focus, counts ages,
// says what must be heard, and moves among tiles and alarms by keys. Pages add scripts of their
// own, which hear of every frame by the document's event "pitwatch:frame".
"use strict";

(() => {
  const body = document.body;
  const LOST_AFTER = 5000;
  const SHOUT_EVERY = 10000;
  const byId = (id) => document.getElementById(id);
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

  // --- Time: ages are counted here, from when something was, by the server's clock.

  let ahead = 0; // of the server's clock, this machine's, in milliseconds
  const now = () => Date.now() - ahead;

  function ageText(milliseconds) {
    const seconds = Math.max(0, Math.floor(milliseconds / 1000));
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60) return `${minutes} m`;
    const hours = Math.floor(minutes / 60);
    if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} m` : `${hours} h`;
    return `${Math.floor(hours / 24)} d`;
  }

  function setText(element, text) {
    if (element && element.textContent !== text) element.textContent = text;
  }

  function countAges(root = document) {
    const at = now();
    for (const time of all("time.age", root)) {
      setText(time, ageText(at - Number(time.dataset.t)));
    }
  }

  // --- What is said aloud. One alert in ten seconds; what came meanwhile is a count.

  const shout = byId("shout");
  const say = byId("say");
  let waiting = [];
  let quietUntil = 0;
  let timer = 0;

  function utter() {
    timer = 0;
    if (!waiting.length) return;
    shout.textContent = waiting.length === 1 ? waiting[0] : `${waiting.length} new alarms. ${waiting[waiting.length - 1]}`;
    waiting = [];
    quietUntil = Date.now() + SHOUT_EVERY;
  }

  function shoutOut(text) {
    waiting.push(text);
    if (!timer) timer = setTimeout(utter, Math.max(0, quietUntil - Date.now()));
  }

  function tell(text) { say.textContent = text; }

  window.pitwatch = { tell, shoutOut, ageText, now, countAges, applyRights: (root) => applyRights(root) };

  // --- The alarm list: what is in it changes at once, what is new waits while a hand is in it.

  const side = byId("alarms");
  let held = null;

  function handInList() {
    return side && (side.matches(":hover") && matchMedia("(hover: hover)").matches || side.contains(document.activeElement));
  }

  function keepCurrent(list) {
    const current = side.querySelector(".al[aria-current]");
    return current ? current.id : null;
  }

  function markCurrent(list, id) {
    const rows = all(".al", list);
    const row = rows.find((each) => each.id === id) || null;
    for (const each of rows) {
      if (each === row) each.setAttribute("aria-current", "true"); else each.removeAttribute("aria-current");
    }
    rove(rows.map((each) => each.querySelector("b a")), row && row.querySelector("b a"));
    // Of all rows only the current one's acts are stops: the list is one, whatever its length.
    for (const act of all(".al > .btn", list)) act.tabIndex = act.closest(".al") === row ? 0 : -1;
  }

  function setList(fresh) {
    const old = byId("alarm-list");
    const current = keepCurrent(old);
    const focus = focusPath(old);
    if (knownAlarms) {
      for (const row of all(".al.unack", fresh)) {
        if (!knownAlarms.has(row.id)) row.classList.add("new");
      }
    }
    knownAlarms = new Set(all(".al", fresh).map((row) => row.id));
    old.replaceWith(fresh);
    markCurrent(fresh, current);
    restoreFocus(focus);
    held = null;
    listNote();
    applyRights(fresh);
    applyFilter(fresh);
    countAges(fresh);
  }

  let knownAlarms = null;

  function swapList(fresh) {
    const old = byId("alarm-list");
    if (!handInList()) { setList(fresh); return; }
    for (const row of all(".al", fresh)) {
      const there = byId(row.id);
      if (there && there.outerHTML !== row.outerHTML) {
        const current = there.hasAttribute("aria-current");
        const focus = focusPath(there);
        there.replaceWith(row.cloneNode(true));
        if (current) byId(row.id).setAttribute("aria-current", "true");
        restoreFocus(focus);
      }
    }
    const gone = all(".al", old).filter((row) => !fresh.querySelector(`#${CSS.escape(row.id)}`));
    for (const row of gone) {
      row.classList.add("past", "gone");
      for (const act of all(".act", row)) disable(act, "closed");
    }
    held = fresh;
    applyRights(old);
    applyFilter(old);
    countAges(old);
    listNote();
  }

  function listNote() {
    const note = byId("alarms-note");
    if (!note) return;
    const list = byId("alarm-list");
    const want = all(".al.unack, .al.rtn", list).filter((row) => !row.hidden).length;
    const fresh = held ? all(".al", held).filter((row) => !byId(row.id)).length : 0;
    let text = body.classList.contains("feedless") ? "acts wait for the feed" : `${want} want an answer`;
    if (fresh) text += `, ${fresh} new above`;
    setText(note, text);
  }

  function letIn() { if (held && !handInList()) setList(held); }

  // A row whose act the user may not do keeps its button, which says why.
  function disable(act, why) {
    act.setAttribute("aria-disabled", "true");
    act.title = why;
  }

  function applyRights(root) {
    const role = body.dataset.role;
    const pits = (body.dataset.pits || "").split("\n").filter(Boolean);
    for (const act of all(".act", root)) {
      const row = act.closest("[data-pit]");
      const outside = pits.length && row && !pits.includes(row.dataset.pit) && role !== "surveillance";
      if (body.classList.contains("feedless")) disable(act, "waits for the feed");
      else if (role === "viewer") disable(act, "a viewer looks only");
      else if (outside) disable(act, "not in your pits");
      else if (act.dataset.act === "shelve" && row && row.matches(".grave") && role !== "surveillance") disable(act, "surveillance alone may shelve this");
      else if (!act.closest(".gone")) { act.removeAttribute("aria-disabled"); act.removeAttribute("title"); }
    }
  }

  function applyFilter(root) {
    if (!side || !side.dataset.only) return;
    for (const row of all(".al", root)) row.hidden = row.dataset.pit !== side.dataset.only;
    for (const heading of all("h3", root)) {
      const rows = all(".al", heading.nextElementSibling).filter((row) => !row.hidden);
      heading.hidden = !rows.length;
      setText(heading.querySelector(".push"), String(rows.length));
    }
  }

  // --- Swapping: an element is replaced by the one of the same id; focus stays where it was.

  function focusPath(root) {
    const active = document.activeElement;
    if (!root || !active || !root.contains(active)) return null;
    const row = active.closest("[id]");
    if (!row) return null;
    const inside = all("a, button", row);
    return { id: row.id, place: inside.indexOf(active) };
  }

  function restoreFocus(path) {
    if (!path) return;
    const row = byId(path.id);
    if (!row) return;
    const target = path.place < 0 ? row : all("a, button", row)[path.place] || row.querySelector("a, button");
    if (target) target.focus({ preventScroll: true });
  }

  function parsed(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    return template.content.firstElementChild;
  }

  function swap(id, html) {
    const fresh = parsed(html);
    if (!fresh) return;
    const old = byId(id);
    if (id === "alarm-list") { if (old) swapList(fresh); return; }
    if (!old) {
      const map = byId("map");
      if (map && id.startsWith("p-") && !body.dataset.pit) { map.append(fresh); rovePits(); }
      return;
    }
    const focus = focusPath(old);
    const tab = all("[tabindex]", old).map((each) => each.getAttribute("tabindex"));
    old.replaceWith(fresh);
    if (fresh.matches(".tile")) {
      const link = fresh.querySelector("a");
      if (tab.length) link.setAttribute("tabindex", tab[0]);
    } else {
      rovePits();
    }
    restoreFocus(focus);
    if (body.classList.contains("feedless")) markStale(fresh);
    countAges(fresh);
    if (id === "figures") showTime();
    fold();
  }

  // --- The feed.

  const state = byId("feed");
  const banner = byId("lost");
  let source = null;
  let heard = Date.now();
  let last = body.dataset.last;
  let facts = { asOfAt: null, behind: null, lostAt: null, zone: [0, "UTC"] };
  let attempts = 0;
  let lostAt = null; // this machine's time since when nothing was heard

  function showTime() {
    const at = facts.asOfAt;
    for (const place of all(".as-of")) setText(place, at ? zoned(at) : "–");
    for (const place of all(".zone")) setText(place, at ? facts.zone[1] : "");
    for (const place of all(".utc")) setText(place, at && facts.zone[0] ? `${clock(at)} UTC` : "");
    const behind = facts.behind === null || facts.behind === undefined ? "–" : `${(facts.behind / 1000).toFixed(1)} s behind`;
    for (const place of all(".behind")) setText(place, behind);
  }

  function showFeed() {
    const silent = Date.now() - heard > LOST_AFTER;
    const lost = silent || facts.lostAt !== null;
    if (silent && lostAt === null) lostAt = heard;
    if (!silent) lostAt = null;
    const since = silent ? lostAt - ahead : facts.lostAt;
    const was = body.classList.contains("feedless");
    body.classList.toggle("feedless", Boolean(lost));
    state.classList.toggle("lost", Boolean(lost));
    if (lost) {
      const at = `${zoned(since)} ${facts.zone[1]}`;
      setText(state.querySelector("b"), "Feed lost");
      setText(state.querySelector("small"), at);
      if (banner) {
        setText(banner.querySelector(".lost-at"), at);
        setText(banner.querySelector(".lost-for"), ageText(now() - since));
        setText(banner.querySelector(".lost-how"), silent ? `Reconnecting${attempts ? `: attempt ${attempts}` : ""}.` : "The console waits for Kafka.");
      }
    } else {
      const at = facts.asOfAt;
      setText(state.querySelector("b"), at ? "Live" : "Connecting");
      setText(state.querySelector("small"), at ? (facts.tables ? `data as of ${zoned(at)} ${facts.zone[1]}` : "no events yet") : "");
    }
    const figures = byId("figures");
    if (banner) { banner.hidden = !lost; if (figures) figures.hidden = Boolean(lost); }
    if (Boolean(lost) !== was) {
      if (lost) shoutOut("Feed lost. Nothing on this page is current."); else tell("Feed back.");
      if (lost) markStale(document); else unmark();
      if (byId("alarm-list")) { applyRights(byId("alarm-list")); listNote(); }
    }
  }

  // Times of day are the floor's, whatever zone the browser is in.
  function clock(milliseconds) { return new Date(milliseconds).toISOString().slice(11, 19); }
  function zoned(milliseconds) { return clock(milliseconds + facts.zone[0] * 1000); }

  // A page without its feed shows health nowhere: every state word gives way to "stale".
  function markStale(root) {
    const tiles = root.matches && root.matches(".tile") ? [root] : all(".tile", root);
    for (const word of tiles.map((tile) => tile.querySelector(".st")).filter(Boolean)) {
      if (word.querySelector(".tag")) continue;
      word.dataset.was = word.textContent;
      word.innerHTML = '<span class="tag">stale</span>';
    }
    for (const note of all(".pit > h2 small:first-of-type", root)) {
      note.dataset.was = note.textContent;
      note.textContent = `${all(".tile", note.closest(".pit")).length} tables, all stale`;
    }
  }

  function unmark() {
    for (const each of all("[data-was]")) { each.textContent = each.dataset.was; delete each.dataset.was; }
  }

  function take(event) {
    heard = Date.now();
    attempts = 0;
    last = event.lastEventId;
    const frame = JSON.parse(event.data);
    frame.id = last;
    frame.kind = event.type;
    ahead = heard - frame.now;
    facts = frame;
    showFeed();
    for (const [table, time] of Object.entries(frame.seen || {})) {
      const place = byId(`t-${table}`);
      const age = place && place.querySelector(".seen");
      if (age) { age.dataset.t = String(time); age.dateTime = new Date(time).toISOString(); setText(age, ageText(now() - time)); }
    }
    for (const [id, html] of Object.entries(frame.swap || {})) swap(id, html);
    showTime();
    const number = byId("unanswered");
    if (number) {
      number.hidden = !frame.unanswered;
      setText(number, String(frame.unanswered));
      number.setAttribute("aria-label", `${frame.unanswered} unacknowledged`);
    }
    if (event.type === "frame") {
      for (const text of frame.shout || []) shoutOut(text);
      if (frame.say && frame.say.length) tell(frame.say[frame.say.length - 1]);
    }
    listNote();
    if (frame.tables && document.querySelector("[data-empty]")) location.reload();
    document.dispatchEvent(new CustomEvent("pitwatch:frame", { detail: frame }));
  }

  // Where the session is over, the page anew leads to signing in, and from there back.
  async function signInIfOver() {
    try {
      const answer = await fetch("/session", { headers: { "x-background": "1" } });
      if (answer.status === 401) location.reload();
    } catch { /* the console does not answer: the banner says so */ }
  }

  // Who reads and presses keys without asking for anything is not idle: the console is told so.
  const TOUCH = 300000;
  let touched = Date.now();
  function touch() {
    if (Date.now() - touched < TOUCH) return;
    touched = Date.now();
    fetch("/session").catch(() => { /* the banner says that the console does not answer */ });
  }
  for (const kind of ["keydown", "pointerdown", "wheel"]) document.addEventListener(kind, touch, { passive: true });

  function connect() {
    if (source) source.close();
    const query = new URLSearchParams({ last });
    if (body.dataset.pit !== undefined) query.set("pit", body.dataset.pit);
    source = new EventSource(`${document.querySelector("main")?.dataset.live || "/feed"}?${query}`);
    source.addEventListener("frame", take);
    source.addEventListener("snapshot", take);
    source.addEventListener("panels", (event) => {
      // A table that was awaited is there: its page is another one.
      if (document.querySelector("main[data-awaited]")) { location.reload(); return; }
      for (const [id, html] of Object.entries(JSON.parse(event.data).swap)) swap(id, html);
      document.dispatchEvent(new CustomEvent("pitwatch:panels"));
    });
    source.addEventListener("error", () => {
      attempts += 1;
      // A stream that was refused is not opened again by the browser itself.
      if (source.readyState !== EventSource.CLOSED) return;
      signInIfOver();
      setTimeout(connect, Math.min(10000, 1000 * attempts));
    });
  }

  // --- Keys.

  function rove(links, chosen) {
    const kept = chosen || links.find((link) => link && link.getAttribute("tabindex") === "0") || links[0];
    for (const link of links) if (link) link.setAttribute("tabindex", link === kept ? "0" : "-1");
  }

  function rovePits() { for (const pit of all(".tiles")) rove(all(".tile a", pit), null); }

  function step(links, from, by) {
    const place = Math.max(0, Math.min(links.length - 1, from + by));
    rove(links, links[place]);
    links[place].focus();
  }

  function columns(links) {
    const top = links[0].closest("li").offsetTop;
    const place = links.findIndex((link) => link.closest("li").offsetTop !== top);
    return place < 0 ? links.length : place;
  }

  function onTile(event, link) {
    const links = all("a", link.closest(".tiles")).filter((each) => each.closest(".tile"));
    const from = links.indexOf(link);
    const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns(links), ArrowUp: -columns(links), Home: -from, End: links.length - 1 - from };
    if (!(event.key in moves)) return;
    const to = from + moves[event.key];
    event.preventDefault();
    if (to >= 0 && to < links.length) step(links, from, moves[event.key]);
  }

  function onAlarm(event, row) {
    const rows = all(".al", side).filter((each) => !each.hidden && each.offsetParent);
    const from = rows.indexOf(row);
    const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, Home: -from, End: rows.length - 1 - from }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      const to = rows[Math.max(0, Math.min(rows.length - 1, from + by))];
      markCurrent(byId("alarm-list"), to.id);
      to.querySelector("b a").focus();
      return;
    }
    const act = { a: "acknowledge", s: "shelve", u: "unshelve" }[event.key];
    const button = act && row.querySelector(`.act[data-act="${act}"]`);
    if (button) { event.preventDefault(); button.click(); }
    if (event.key === "o") { event.preventDefault(); row.querySelector("b a").click(); }
  }

  function singleKeys() { return localStorage.getItem("pitwatch-keys") !== "off"; }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, select, textarea")) return;
    if (event.key.length === 1 && !singleKeys()) return;
    const tile = event.target.closest(".tile a");
    if (tile) onTile(event, tile);
    const row = event.target.closest("#alarms .al");
    if (row) onAlarm(event, row);
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest("[aria-disabled=true]")) event.preventDefault();
    if (event.target.closest("#retry")) connect();
  });

  // --- A phone: pits are folded, those with an alarm or a silent table stay open.

  const small = matchMedia("(max-width: 40rem)");

  function fold() {
    for (const pit of all("#map > .pit")) {
      const heading = pit.querySelector("h2");
      let button = pit.querySelector(".fold");
      if (!small.matches || all("#map > .pit").length === 1) {
        if (button) button.remove();
        pit.querySelector(".tiles").hidden = false;
        continue;
      }
      if (pit.dataset.folded === undefined) {
        pit.dataset.folded = pit.querySelector(".tile.unack, .tile.rtn, .tile.stale") ? "no" : "yes";
      }
      if (!button) {
        button = document.createElement("button");
        button.type = "button";
        button.className = "btn fold push";
        button.addEventListener("click", () => { pit.dataset.folded = pit.dataset.folded === "yes" ? "no" : "yes"; fold(); });
        heading.append(button);
      }
      const folded = pit.dataset.folded === "yes";
      setText(button, folded ? "Show" : "Hide");
      button.setAttribute("aria-label", `${folded ? "Show" : "Hide"} the tables of ${heading.querySelector("a").textContent}`);
      button.setAttribute("aria-expanded", String(!folded));
      pit.querySelector(".tiles").hidden = folded;
    }
  }

  // --- Start.

  if (side) {
    const list = byId("alarm-list");
    knownAlarms = new Set(all(".al", list).map((row) => row.id));
    markCurrent(list, (list.querySelector(".al") || {}).id);
    applyRights(list);
    applyFilter(list);
    listNote();
    // A row opens with the focus of the keyboard, but under a pointer only once it is let go: what
    // is pressed must not move away meanwhile.
    for (const kind of ["focusin", "click"]) {
      side.addEventListener(kind, (event) => {
        const row = event.target.closest(".al");
        if (row && (kind === "click" || event.target.matches(":focus-visible"))) markCurrent(byId("alarm-list"), row.id);
      });
    }
    side.addEventListener("pointerleave", () => setTimeout(letIn, 0));
    side.addEventListener("focusout", () => setTimeout(letIn, 0));
  }
  rovePits();
  small.addEventListener("change", fold);
  fold();
  countAges();
  connect();
  setInterval(() => { countAges(); showFeed(); letIn(); }, 1000);
})();
