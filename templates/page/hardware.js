// Every GPU of the catalogue for this job: cost against time where a price is known, filled where it fits.
// Pixels from which on a line leads from a name to its point.
const LEADS_FROM = 38;
const PLOT = {width: 640, height: 376, left: 78, right: 24, top: 32, bottom: 44};

function cardsFor(state) {
  const {engine} = state,
    table = engine.data.tables.accelerators,
    needs = [...FITTING_NEEDS, ...amountNeeds(engine)];
  const now = state.job().settings.accelerator;
  return table.ids.map((id, at) => {
    const edits = id === now ? state.edits : state.edited("hardware.accelerator", id),
      job = state.job(edits),
      values = engine.compute(job, needs);
    const priced = state.scenario.billed && !priceFaults(engine, job, true).length,
      [time, low, high] = engine.amount("time", values) ?? [],
      cost = priced ? engine.amount("cost", values)?.[0] : NaN;
    return {
      id,
      title: table.titles[at],
      verdict: engine.verdict(values),
      time,
      ends: [low / time, high / time],
      cost,
      room: engine.value(values, "usable_bytes") - engine.value(values, "peak_bytes"),
      evidence: table.words.efficiency_evidence?.[at] ?? "",
      here: id === now,
    };
  });
}

// Of those that fit and have a price: none is both cheaper and quicker.
function frontierOf(cards) {
  let least = Infinity;
  return cards
    .filter(one => one.verdict > 2 && one.cost > 0)
    .sort((a, b) => a.time - b.time || a.cost - b.cost)
    .filter(one => one.cost < least && ((least = one.cost), true));
}

function showHardware(state) {
  const cards = cardsFor(state),
    frontier = frontierOf(cards),
    drawnOnes = cards.filter(one => one.time > 0 && (one.cost > 0 || !state.scenario.billed));
  const place = byId("hardware").lastElementChild,
    open = place.querySelector("details")?.open;
  fill(
    place,
    ...(drawnOnes.length && state.scenario.billed ? [hardwarePlot(state, drawnOnes, frontier), plotLegend()] : []),
    hardwareTable(state, cards, frontier, open),
  );
}

function plotLegend() {
  return element(
    "p",
    {class: "soft"},
    "Full points fit, open ones do not. A ring: its speed is measured. The line: no other GPU that fits is both faster and cheaper.",
  );
}

function hardwarePlot(state, cards, frontier) {
  PLOT.width = Math.max(300, byId("hardware").clientWidth);
  const costs = ticks(
    cards.map(one => one.cost),
    state.engine.data.amounts.cost[1],
    Number,
  );
  PLOT.left = 14 + 7.5 * Math.max(...costs.map(([text]) => text.length));
  const scaleOf = (values, from, to) => {
    const [low, high] = [Math.min(...values) / 1.2, Math.max(...values) * 1.2].map(Math.log);
    return value => from + ((to - from) * (Math.log(value) - low)) / (high - low || 1);
  };
  const x = scaleOf(
      cards.map(one => one.time),
      PLOT.left,
      PLOT.width - PLOT.right,
    ),
    y = scaleOf(
      cards.map(one => one.cost),
      PLOT.height - PLOT.bottom,
      PLOT.top,
    );
  const [time, cost] = ["time", "cost"].map(name => state.engine.data.amounts[name]),
    svg = drawn("svg", {
      viewBox: `0 0 ${PLOT.width} ${PLOT.height}`,
      class: "plot",
      role: "group",
      "aria-label": `${cost[0]} against ${time[0].toLowerCase()} of every GPU with a price; the table below says the same`,
    });
  svg.append(
    drawn("path", {
      class: "axis",
      d: `M${PLOT.left} ${PLOT.top}V${PLOT.height - PLOT.bottom}H${PLOT.width - PLOT.right}`,
    }),
  );
  for (const [text, at] of ticks(
    cards.map(one => one.time),
    time[1],
    x,
    PLOT.width < 480 ? 2 : 4,
  ))
    svg.append(
      drawn(
        "text",
        {x: at, y: PLOT.height - PLOT.bottom + 17, "text-anchor": at > PLOT.width - 40 ? "end" : "middle"},
        text,
      ),
    );
  for (const [text, at] of ticks(
    cards.map(one => one.cost),
    cost[1],
    y,
  ))
    svg.append(drawn("text", {x: PLOT.left - 6, y: at + 4, "text-anchor": "end"}, text));
  svg.append(
    drawn("text", {x: PLOT.width / 2, y: PLOT.height - 8, "text-anchor": "middle"}, time[0]),
    drawn("text", {x: 6, y: 14}, cost[0]),
  );
  if (frontier.length > 1)
    svg.append(
      drawn("path", {class: "frontier", d: `M${frontier.map(one => `${x(one.time)} ${y(one.cost)}`).join("L")}`}),
    );
  const points = cards.map(one => ({one, x: x(one.time), y: y(one.cost)})),
    named = points.filter(({one}) => one.here || one === frontier[0] || one === frontier.at(-1));
  svg.append(...points.map(point => hardwarePoint(state, point)), ...hardwareLabels(points, named));
  return svg;
}

// Names beside their points, each where it covers the fewest points, names and edges.
function hardwareLabels(points, named) {
  const taken = [[0, 0, 140, 18], ...points.map(({x, y}) => [x - 10, y - 10, x + 10, y + 10])];
  return named.flatMap(({one, x, y}) => {
    const wide = (one.here ? 9 : 8) * one.id.length, // that of the GPU in use is bold
      places = [
        [x + 12, y + 4, "start", 0],
        [x - 12, y + 4, "end", 1],
        [x, y - 14, "middle", 0.5],
        [x, y + 22, "middle", 0.5],
        [x + 10, y + 20, "start", 0],
        [x + 10, y - 12, "start", 0],
        [x + 24, y + 4, "start", 0],
        [x, y + 36, "middle", 0.5],
        [x + 4, y - 26, "start", 0],
        [x + 4, y + 36, "start", 0],
        ...[-30, 50, -58, 70, -86].flatMap(far => [
          [x, y + far, "middle", 0.5],
          [x + 34, y + far, "start", 0],
          [x - 34, y + far, "end", 1],
        ]),
        [x + 44, y + 4, "start", 0],
        [x - 44, y + 4, "end", 1],
        ...[4, -16, 20, -44].map(far => [x + wide + 24, y + far, "start", 0]),
      ].map(([at, base, anchor, share]) => {
        const left = at - share * wide;
        return {at, base, anchor, box: [left, base - 12, left + wide, base + 4]};
      });
    const covered = ({box: [a, b, c, d]}) =>
      taken.filter(([e, f, g, h]) => a < g && e < c && b < h && f < d).length +
      9 * (a < PLOT.left || b < 0 || c > PLOT.width || d > PLOT.height - PLOT.bottom);
    const best = places.reduce((found, place) => (covered(place) < covered(found) ? place : found));
    taken.push(best.box);
    const far = Math.hypot(best.at - x, best.base - y) > LEADS_FROM,
      lead = far ? [drawn("path", {class: "axis", d: `M${x} ${y}L${best.at} ${best.base - (best.base > y ? 12 : -3)}`})] : [],
      text = {x: best.at, y: best.base, "text-anchor": best.anchor, class: one.here ? "here" : ""};
    return [...lead, drawn("text", text, one.id)];
  });
}

function ticks(values, unit, scale, count = 4) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return Array.from({length: count}, (_, at) => low * (high / low) ** (at / (count - 1)))
    .filter((one, at, all) => at === 0 || one > all[at - 1] * 1.05)
    .map(one => [brief(one, unit, high), scale(one)]);
}

function hardwarePoint(state, {one, x, y}) {
  const point = drawn(
    "circle",
    {cx: x, cy: y, r: 6, class: one.verdict > 2 ? "fits" : "fails"},
    drawn("title", {}, cardWords(state, one)),
  );
  const ring = one.evidence === "measured" ? drawn("circle", {cx: x, cy: y, r: 9.5, class: "ring"}) : "";
  return drawn("g", {}, ring, point);
}

const timeText = ({time, ends: [low, high]}, unit) =>
  ranged(...[time, time * low, time * high].map(one => brief(one, unit, time)));

// How far the times may lie from those shown, in the words of the report.
function spreadOf(cards) {
  const ends = cards.filter(one => one.time > 0).map(one => one.ends),
    share = value => (100 * value).toFixed(0);
  return ends.length
    ? ` Times may be ${share(1 - Math.min(...ends.map(one => one[0])))} % shorter to ${share(Math.max(...ends.map(one => one[1])) - 1)} % longer.`
    : "";
}

function cardWords(state, one) {
  const {amounts} = state.engine.data,
    cost = one.cost > 0 ? `, ${brief(one.cost, amounts.cost[1])}` : "";
  return `${one.title}: ${wordOf(one.verdict)}, ${one.time > 0 ? timeText(one, amounts.time[1]) : "–"}${cost}${one.evidence ? `; speed ${one.evidence}` : ""}`;
}

function hardwareTable(state, cards, frontier, open) {
  const {amounts} = state.engine.data,
    here = cards.find(one => one.here) ?? {},
    order = one => [-(one.verdict > 2), one.cost > 0 ? one.cost : Infinity, one.time];
  const sorted = [...cards].sort((a, b) => {
    const [first, second] = [order(a), order(b)];
    return first[0] - second[0] || (first[1] === second[1] ? 0 : first[1] - second[1]) || first[2] - second[2];
  });
  const rows = sorted.map(one =>
    element(
      "tr",
      {class: one.here ? "here" : ""},
      element(
        "th",
        {scope: "row"},
        element(
          "button",
          {type: "button", class: "figure", onclick: () => change(() => state.set("hardware.accelerator", one.id))},
          one.title,
        ),
        frontier.includes(one) ? " ◆" : "",
      ),
      element("td", {}, `${markOf(one.verdict)} ${wordOf(one.verdict)}`),
      element("td", {}, inGib(one.room)),
      element("td", {}, one.time > 0 ? brief(one.time, amounts.time[1], here.time || one.time) : "–"),
      ...(state.scenario.billed
        ? [element("td", {}, one.cost > 0 ? brief(one.cost, amounts.cost[1]) : "no price")]
        : []),
      element("td", {}, one.evidence || "–"),
    ),
  );
  const heads = [
    "GPU",
    "Verdict",
    "Headroom",
    amounts.time?.[0] ?? "Time",
    ...(state.scenario.billed ? [amounts.cost[0]] : []),
    "Speed known from",
  ];
  const table = element(
    "table",
    {},
    element(
      "caption",
      {},
      `Each GPU in the same number, with the host and price that come with it.${state.scenario.billed ? " Filled points fit; a ring says that its speed was measured; ◆ none that fits is both cheaper and quicker." : ""}${spreadOf(cards)}`,
    ),
    element("thead", {}, element("tr", {}, ...heads.map(title => element("th", {scope: "col"}, title)))),
    element("tbody", {}, ...rows),
  );
  return element(
    "details",
    open ? {open: true} : {},
    element("summary", {}, `All ${cards.length} GPUs as a table`),
    element("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "All GPUs"}, table),
  );
}
