// The history page: a search, a filter or a round changes what is below the form without loading the
// page anew (htmx), so that the scroll and the feed stay; the hours are drawn by uPlot, which tells
// the hour under the pointer. Without scripts every link and the form work, and the bars are SVG.
"use strict";

(() => {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let plot = null;

  function draw() {
    const place = document.getElementById("hours");
    if (plot) { plot.destroy(); plot = null; }
    if (!place || !window.uPlot) return;
    const hours = JSON.parse(place.dataset.hours);
    const label = (index) => (hours[index] ? hours[index][0] : "");
    const axis = { stroke: colour("--ink2"), font: "11px sans-serif", grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } };
    const whole = (split) => split.map((value) => (Number.isInteger(value) ? value : null));
    place.querySelector("svg").setAttribute("hidden", "");
    plot = new uPlot({
      width: place.clientWidth,
      height: 140,
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: false, range: [-0.6, hours.length - 0.4] }, y: { range: (_plot, _least, most) => [0, Math.max(most, 1) * 1.1] } },
      axes: [
        { ...axis, grid: { show: false }, space: 90, values: (_plot, split) => split.map((index) => (Number.isInteger(index) ? label(index) : "")) },
        { ...axis, space: 24, size: 36, values: (_plot, split) => whole(split) },
      ],
      series: [
        { label: "Hour", value: (_plot, index) => (index === null ? "–" : label(index)) },
        { label: "Findings", fill: colour("--data"), paths: uPlot.paths.bars({ size: [0.8, 60] }), points: { show: false }, value: (_plot, count) => (count === null ? "–" : count) },
      ],
    }, [hours.map((_hour, index) => index), hours.map((hour) => hour[1])], place);
  }

  function land(event) {
    draw();
    if (document.activeElement && document.activeElement !== document.body) return;
    const opened = new URLSearchParams(location.search).has("opened_by");
    const heading = document.getElementById(opened ? "round-heading" : "results-heading");
    if (heading && event.detail.target) heading.focus({ preventScroll: true });
  }

  function fit() {
    const place = document.getElementById("hours");
    if (!plot || !place || place.clientWidth === plot.width) return;
    plot.setSize({ width: place.clientWidth, height: 140 });
  }

  window.addEventListener("resize", fit);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  document.addEventListener("htmx:afterSettle", land);
  draw();
})();
