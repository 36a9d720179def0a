// Two inputs at once: a figure over 20 by 20 of their values, and a line where the peak reaches the usable memory.
const MAP_SIDE = 20;
const MAP_FIGURES = [
  "peak_bytes",
  "headroom_bytes",
  "step_seconds",
  "time_per_output_token_seconds",
  "tokens_per_second",
  "cost_total_usd",
  "cost_per_million_tokens_usd",
];
const map = {};

function axesOf(state) {
  const job = state.job({});
  return [...state.engine.fields.values()].filter(
    field =>
      TRIED_SECTIONS.includes(field.section) &&
      ["whole", "number"].includes(field.kind) &&
      job.settings[field.name] > 0 &&
      (field.kind === "whole" || field.unit !== "share"),
  );
}

function buildMap(state) {
  const fields = axesOf(state),
    preferred = state.engine.data.shown.levers.filter(
      name => fields.some(one => one.name === name) && name !== "count",
    );
  const figures = MAP_FIGURES.filter(
    name =>
      state.engine.has(name) &&
      state.engine.at.get(name) >= state.engine.firstFigure &&
      (state.scenario.billed || !name.includes("usd")),
  );
  map.fields = fields;
  map.across = axisSelect("map-across", "Across", fields, preferred[0]);
  map.down = axisSelect("map-down", "Up", fields, preferred[1]);
  map.figure = element(
    "select",
    {id: "map-figure", onchange: () => drawMap(state)},
    ...figures.map(name => element("option", {value: name}, state.engine.about(state.engine.at.get(name)).title)),
  );
  map.canvas = element("canvas", {
    width: 640,
    height: 400,
    tabindex: 0,
    role: "img",
    onpointermove: event => pointed(state, event),
    onclick: event => taken(state, event),
    onkeydown: event => moved(state, event),
  });
  map.said = element("p", {class: "soft", role: "status", "aria-live": "polite"});
  const controlsOfMap = [
    ["Across", map.across],
    ["Up", map.down],
    ["Figure", map.figure],
  ].map(([title, select]) => element("span", {}, element("label", {for: select.id}, title), " ", select));
  map.mark = element("i", {class: "mark-here", "aria-hidden": "true"});
  const drawing = element("div", {class: "drawing"}, map.canvas, map.mark);
  fill(byId("map").lastElementChild, element("p", {class: "axes"}, ...controlsOfMap), drawing, map.said);
  for (const select of [map.across, map.down]) select.addEventListener("change", () => drawMap(state));
}

function axisSelect(id, _title, fields, chosen) {
  const select = element("select", {id}, ...fields.map(one => element("option", {value: one.name}, one.title)));
  select.value = chosen ?? fields[0].name;
  return select;
}

// From an eighth to eight times the value; whole where the field is.
function ticksOf(state, name) {
  const field = state.engine.fields.get(name),
    value = state.job().settings[name] || 1;
  const low = field.kind === "whole" ? Math.max(1, value / 8) : value / 8;
  const one = at => low * ((8 * value) / low) ** (at / (MAP_SIDE - 1)),
    kept = x => (field.kind === "whole" ? Math.max(1, Math.round(x)) : x);
  const ticks = Array.from({length: MAP_SIDE}, (_, at) => kept(one(at)));
  if (field.kind === "whole")
    ticks.forEach((x, at) => {
      if (at && x <= ticks[at - 1]) ticks[at] = ticks[at - 1] + 1;
    });
  ticks[nearestTo(ticks, value)] = value;
  return ticks.map(x => (field.highest !== null ? Math.min(x, field.highest) : x));
}

// All points of the map: values of the figure, and peak over usable memory.
function mapPoints(state) {
  const {engine} = state,
    names = [map.across.value, map.down.value],
    [xs, ys] = names.map(name => ticksOf(state, name));
  const job = state.job(),
    needs = [map.figure.value, "peak_bytes", "usable_bytes"];
  const swept = engine.sweep(job, names, needs),
    [figure, peak, usable] = needs.map(name => engine.at.get(name));
  const points = new Float64Array(MAP_SIDE * MAP_SIDE),
    ratios = new Float64Array(MAP_SIDE * MAP_SIDE);
  for (let row = 0; row < MAP_SIDE; row++)
    for (let column = 0; column < MAP_SIDE; column++) {
      const values = swept([xs[column], ys[row]]),
        at = row * MAP_SIDE + column;
      points[at] = values[figure];
      ratios[at] = values[peak] / values[usable];
    }
  return {
    names,
    xs,
    ys,
    points,
    ratios,
    here: [nearestTo(xs, job.settings[names[0]]), nearestTo(ys, job.settings[names[1]])],
  };
}

function nearestTo(values, wanted) {
  const distances = values.map(one => Math.abs(Math.log(one / wanted)));
  return distances.indexOf(Math.min(...distances));
}

const MARGIN = {left: 86, bottom: 44, top: 8, right: 8};

function drawMap(state) {
  sizeCanvas();
  const found = (map.found = mapPoints(state)),
    context = map.canvas.getContext("2d"),
    {width, height} = map.canvas;
  const style = getComputedStyle(document.documentElement),
    ink = style.getPropertyValue("--ink"),
    paper = style.getPropertyValue("--paper");
  const finite = found.points.filter(one => Number.isFinite(one) && one > 0),
    low = Math.log(Math.min(...finite)),
    high = Math.log(Math.max(...finite));
  context.fillStyle = paper;
  context.fillRect(0, 0, width, height);
  const cell = (map.cell = [
    (width - MARGIN.left - MARGIN.right) / MAP_SIDE,
    (height - MARGIN.top - MARGIN.bottom) / MAP_SIDE,
  ]);
  for (let row = 0; row < MAP_SIDE; row++)
    for (let column = 0; column < MAP_SIDE; column++) {
      const at = row * MAP_SIDE + column,
        share = high > low && found.points[at] > 0 ? (Math.log(found.points[at]) - low) / (high - low) : 0;
      context.fillStyle = shade(share);
      context.fillRect(...corner(column, row), cell[0] + 0.5, cell[1] + 0.5);
    }
  limitLine(context, found, cell);
  axisTexts(context, state, found, ink, cell);
  markPoint(state, found.here);
}

// The point that is spoken of: a frame above the map, so that the map is not drawn again for it.
function markPoint(state, at) {
  const {width, height} = map.canvas,
    [x, y] = corner(...at),
    places = {left: x / width, top: y / height, width: map.cell[0] / width, height: map.cell[1] / height};
  map.at = at;
  for (const [name, share] of Object.entries(places)) map.mark.style[name] = `${100 * share}%`;
  sayPoint(state);
}

// As many points as the screen gives it, so that its texts keep their size.
function sizeCanvas() {
  const width = Math.max(300, map.canvas.clientWidth),
    height = Math.round(Math.max(240, Math.min(width * 0.6, 480)));
  if (map.canvas.width !== width || map.canvas.height !== height) Object.assign(map.canvas, {width, height});
}

// One hue from light to dark, which survives grey.
const SHADES = Array.from({length: 256}, (_, at) => `hsl(212 ${35 + (25 * at) / 255}% ${92 - (66 * at) / 255}%)`);
const shade = share => SHADES[Math.round(255 * share)];
const corner = (column, row) => [MARGIN.left + column * map.cell[0], MARGIN.top + (MAP_SIDE - 1 - row) * map.cell[1]];

// Between two points of which one has room and the other has not.
function limitLine(context, found, [wide, high]) {
  const fits = (column, row) => found.ratios[row * MAP_SIDE + column] <= 1;
  context.beginPath();
  for (let row = 0; row < MAP_SIDE; row++)
    for (let column = 0; column < MAP_SIDE; column++) {
      const [x, y] = corner(column, row);
      if (column + 1 < MAP_SIDE && fits(column, row) !== fits(column + 1, row)) {
        context.moveTo(x + wide, y);
        context.lineTo(x + wide, y + high);
      }
      if (row + 1 < MAP_SIDE && fits(column, row) !== fits(column, row + 1)) {
        context.moveTo(x, y);
        context.lineTo(x + wide, y);
      }
    }
  for (const [colour, width] of [
    ["#fff", 5],
    ["#b3261e", 2.5],
  ]) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }
}

function axisTexts(context, state, found, ink, [wide, high]) {
  const said = (name, value) => {
    const field = state.engine.fields.get(name);
    return brief(value, field.unit).replace(/ tokens$/, "");
  };
  context.fillStyle = ink;
  context.font = "13px system-ui, sans-serif";
  for (let at = 1; at < MAP_SIDE; at += 4) {
    const [x] = corner(at, 0),
      [, y] = corner(0, at);
    context.textAlign = "center";
    context.fillText(said(found.names[0], found.xs[at]), x + wide / 2, map.canvas.height - 26);
    context.textAlign = "right";
    context.fillText(said(found.names[1], found.ys[at]), MARGIN.left - 6, y + high / 2 + 4);
  }
  context.textAlign = "center";
  context.fillText(
    state.engine.fields.get(found.names[0]).title,
    MARGIN.left + (map.canvas.width - MARGIN.left) / 2,
    map.canvas.height - 6,
  );
}

function sayPoint(state) {
  const {engine} = state,
    {found} = map,
    at = map.at[1] * MAP_SIDE + map.at[0],
    about = engine.about(engine.at.get(map.figure.value));
  const inputs = found.names.map((name, one) => {
    const field = engine.fields.get(name);
    return `${field.title} ${shown(one ? found.ys[map.at[1]] : found.xs[map.at[0]], field.unit)}`;
  });
  const text = `${inputs.join(", ")}: ${about.title} ${rangedFigure(engine, map.figure.value, found.points[at])}, peak ${shown(found.ratios[at], "share")} of what is usable.`;
  map.said.textContent = tied(`${text} Darker is more; beyond the red line the expected peak does not fit. Press to take a point over.`);
  map.canvas.setAttribute("aria-label", `Map. ${text} Arrow keys move, Enter takes the point over.`);
}

function pointed(state, event) {
  const box = map.canvas.getBoundingClientRect(),
    scale = map.canvas.width / box.width;
  const column = Math.floor(((event.clientX - box.left) * scale - MARGIN.left) / map.cell[0]),
    row = MAP_SIDE - 1 - Math.floor(((event.clientY - box.top) * scale - MARGIN.top) / map.cell[1]);
  goTo(state, column, row);
}

function goTo(state, column, row) {
  if (
    !map.found ||
    column < 0 ||
    row < 0 ||
    column >= MAP_SIDE ||
    row >= MAP_SIDE ||
    (column === map.at[0] && row === map.at[1])
  )
    return;
  markPoint(state, [column, row]);
}

function taken(state) {
  const {names, xs, ys} = map.found,
    key = name => `${state.engine.fields.get(name).section}.${name}`;
  change(() => {
    const edits = {...state.edited(key(names[0]), xs[map.at[0]]), [key(names[1])]: ys[map.at[1]]};
    state.go({start: state.start, edits});
  });
}

function moved(state, event) {
  const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
  if (event.key === "Enter") taken(state);
  else if (step) {
    event.preventDefault();
    goTo(state, map.at[0] + step[0], map.at[1] + step[1]);
  }
}
