// An encoder that serves makes no tokens, but reads texts.
const encodes = (engine, values) => engine.workload === "serving" && !engine.value(values, "is_decoder");
const read = (engine, values, title) => (encodes(engine, values) ? title.replace(/^(Time per )?(t)oken/i, "$1$2ext") : title);

// The answer and the numbers that carry it, drawn again after every change.
function showNow(engine, values, faults) {
  const verdict = engine.verdict(values),
    wrong = faults.filter(one => one[2]);
  const mark = element("b", {class: `mark ${WORD_CLASS[verdict - 1]}`, "aria-hidden": "true"}, markOf(verdict));
  const sentence = engine.sentence(values, "The job"),
    time = amountText(engine, "time", values),
    cost = amountText(engine, "cost", values);
  const more =
    verdict === 1
      ? ""
      : [
          time && `${read(engine, values, engine.data.amounts.time[0])} ${time}`,
          cost && `${engine.data.amounts.cost[0].toLowerCase()} ${cost}`,
        ]
          .filter(Boolean)
          .join(", ");
  const invalid = wrong.length ? element("strong", {class: "no"}, "No engine runs this: see the inputs. ") : undefined;
  fill(byId("now"), invalid, mark, ` ${wordOf(verdict)}. `, sentence, more ? ` ${more}.` : "");
  byId("now").className = WORD_CLASS[verdict - 1];
}

function amountText(engine, name, values) {
  const found = engine.amount(name, values);
  if (!found || !Number.isFinite(found[0])) return "";
  return ranged(...found.map(one => brief(one, engine.data.amounts[name][1], found[0])));
}

// An amount with its ends, whose unit stands once where it is the same.
function ranged(value, low, high) {
  const unit = high.slice(high.indexOf(" "));
  return low === value && high === value
    ? value
    : `${value} (${unit.startsWith(" ") && low.endsWith(unit) ? low.slice(0, -unit.length) : low} to ${high})`;
}

function showFaults(engine, faults) {
  fill(
    byId("faults"),
    ...faults.map(([field, message, fault]) =>
      element(
        "p",
        {class: fault ? "no" : "tight"},
        `${fault ? "✗" : "!"} ${engine.fields.get(field)?.title ?? field} ${message}.`,
      ),
    ),
  );
}

// The parts of the peak against the usable memory, with the scenario's options as thin bars below.
function showMemory(engine, values, ghosts) {
  const usable = engine.value(values, "usable_bytes"),
    parts = engine.data.shown.parts.filter(([, name]) => engine.value(values, name) > 0);
  const peak = engine.value(values, "peak_bytes"),
    longest = usable > 0 ? 3 * usable : peak, // a driver keeps more than a GPU that is made tiny has
    most = Math.min(Math.max(peak, usable, engine.value(values, "peak_bytes_high")), longest) * 1.02;
  const x = value => 100 * Math.min(value / most, 1),
    svg = drawn("svg", {
      viewBox: "0 0 100 14",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": memoryWords(engine, values, parts),
    });
  let left = 0;
  for (const [title, name] of parts) {
    const value = engine.value(values, name),
      width = x(left + value) - x(left);
    svg.append(
      drawn(
        "rect",
        {x: x(left), y: 1, width: Math.max(width, 0), height: 12, class: colourOf(engine, title)},
        drawn("title", {}, `${title} ${inGib(value)}`),
      ),
    );
    left += value;
  }
  svg.append(
    drawn(
      "rect",
      {
        x: x(engine.value(values, "peak_bytes_low")),
        y: 6,
        width: Math.max(x(engine.value(values, "peak_bytes_high")) - x(engine.value(values, "peak_bytes_low")), 0),
        height: 2,
        class: "range",
      },
      drawn("title", {}, "range of the peak"),
    ),
  );
  svg.append(drawn("rect", {x: x(usable) - 0.2, y: 0, width: 0.4, height: 14, class: "limit"}));
  const key = element(
    "ul",
    {class: "key"},
    ...parts.map(([title, name]) =>
      element(
        "li",
        {},
        element("span", {class: `swatch ${colourOf(engine, title)}`}),
        figureButton(name, `${title} ${inGib(engine.value(values, name))}`),
      ),
    ),
  );
  const line = element(
    "p",
    {class: "soft"},
    "Peak ",
    figureButton("peak_bytes", inGib(peak)),
    ` (${inGib(engine.value(values, "peak_bytes_low"))} to ${inGib(engine.value(values, "peak_bytes_high"))}), usable `,
    figureButton("usable_bytes", inGib(usable)),
    " per GPU, the upright line.",
  );
  fill(byId("memory"), svg, line, key, ghosts.length > 1 ? ghostList(ghosts) : undefined);
}

const colourOf = (engine, title) => COLOURS[engine.data.shown.parts.findIndex(one => one[0] === title)];
const memoryWords = (engine, values, parts) =>
  parts.map(([title, name]) => `${title} ${inGib(engine.value(values, name))}`).join(", ");

// The scenario's own options: a thin bar each, to start from at a click.
function ghostList(ghosts) {
  const rows = ghosts.map(({name, verdict, share, text, at}) =>
    element(
      "li",
      {class: at === page.state.start && !page.state.isChanged ? "here" : ""},
      element("button", {type: "button", class: "figure", onclick: () => change(() => page.state.startFrom(at))}, name),
      element(
        "span",
        {class: "ghost", "aria-hidden": "true"},
        drawn(
          "svg",
          {viewBox: "0 0 100 4", preserveAspectRatio: "none"},
          drawn("rect", {
            x: 0,
            y: 0,
            width: (Math.max(Math.min(share, 1.5), 0) / 1.5) * 100,
            height: 4,
            class: `bar ${WORD_CLASS[verdict - 1]}`,
          }),
          drawn("rect", {x: 100 / 1.5, y: 0, width: 0.6, height: 4, class: "limit"}),
        ),
      ),
      element("span", {}, `${markOf(verdict)} ${text}`),
    ),
  );
  return element(
    "details",
    {open: true, class: "ghosts"},
    element("summary", {}, "Options of this scenario, to start from"),
    element("ul", {}, ...rows),
  );
}

function ghostsOf(engine, scenario) {
  return scenario.variants.map(([name, changes], at) => {
    const values = engine.compute(jobOf(engine, scenario, changes), ["peak_bytes_high", "fits", "usable_bytes"]);
    const [peak, usable] = ["peak_bytes", "usable_bytes"].map(one => engine.value(values, one));
    return {
      name,
      at,
      verdict: engine.verdict(values),
      share: peak / usable,
      text: briefPair(peak, usable).join(" of "),
    };
  });
}

// Time, cost and speed, each with its range where it has one.
function showNumbers(engine, values) {
  const box = ([title, text, name]) =>
    element("div", {}, element("dt", {}, title), element("dd", {}, figureButton(name, text)));
  const main = ["time", "cost"]
    .filter(name => engine.data.amounts[name] && (name === "time" || page.state.scenario.billed))
    .map(name => [
      read(engine, values, engine.data.amounts[name][0]),
      (engine.verdict(values) > 1 && amountText(engine, name, values)) || "– (it does not run)",
      engine.data.amounts[name][2][0],
    ]);
  const unasked = engine.data.shown.demand.length && !engine.value(values, "demanded_requests_per_second");
  const speed = engine.data.shown.speed
    .filter(name => !/_(low|high)$/.test(name) && !main.some(one => one[2] === name) && !(unasked && engine.data.shown.demand.includes(name)))
    .filter(name => engine.value(values, name) && !(encodes(engine, values) && name.includes("first_token")))
    .map(name => [read(engine, values, engine.about(engine.at.get(name)).title), rangedFigure(engine, name), name]);
  const cost = engine.data.shown.cost.filter(name => engine.value(values, name) > 0);
  const lines = element(
    "details",
    {},
    element("summary", {}, "The bill, line by line"),
    element(
      "table",
      {},
      element(
        "tbody",
        {},
        ...cost.map(name =>
          element(
            "tr",
            {},
            element("th", {scope: "row"}, engine.about(engine.at.get(name)).title),
            element("td", {}, figureButton(name, brief(engine.value(values, name), engine.about(engine.at.get(name)).unit))),
          ),
        ),
      ),
    ),
  );
  const open = byId("numbers").querySelector("details")?.open;
  if (open) lines.setAttribute("open", "");
  fill(
    byId("numbers"),
    element("h2", {}, page.state.scenario.billed ? "Time and cost" : "Time"),
    element("dl", {class: "main"}, ...main.map(box)),
    element("dl", {}, ...speed.map(box)),
    cost.length && page.state.scenario.billed ? lines : undefined,
  );
}

// A figure with its range where it has one.
// `middle` is another value than the present one, whose ends are as far away.
function rangedFigure(engine, name, middle = lastValues[engine.at.get(name)]) {
  const {unit, labels} = engine.about(engine.at.get(name)),
    value = one => lastValues[engine.at.get(one)];
  if (labels?.length) return labels[middle - 1];
  if (unit === "byte") return shown(middle, unit);
  if (!engine.has(`${name}_low`)) return trueMinus(brief(middle, unit));
  const ends = ["_low", "_high"].map(end => (middle * value(name + end)) / value(name));
  const of = unit === "token/s" ? read(engine, lastValues, unit) : unit;
  return ranged(...[middle, ...ends].map(one => brief(one, of, middle)));
}

// Up to here, parts of a step are in seconds or less.
const LONG_SECONDS = 900;

const PACE = {training: "step_seconds", serving: "time_per_output_token_seconds"};

// Memory at the instants that are computed: nothing is drawn between them.
function showStep(engine, values) {
  const {instants} = engine.data.shown;
  byId("step").hidden = !instants.length;
  if (instants.length)
    fill(
      byId("step").lastElementChild,
      barTable(engine, values, instants, "Memory at each instant", inGib, engine.value(values, "usable_bytes")),
    );
}

function showSeconds(engine, values) {
  byId("seconds").hidden = encodes(engine, values);
  const parts = engine.data.shown.seconds.filter(([, name]) => engine.value(values, name) > 0),
    most = Math.max(...parts.map(([, name]) => engine.value(values, name))),
    beside = most < LONG_SECONDS ? Math.min(most, 1) : most;
  fill(
    byId("seconds").lastElementChild,
    barTable(
      engine,
      values,
      parts,
      `Parts of ${engine.workload === "training" ? "a step" : "the time per token"}, of ${rangedFigure(engine, PACE[engine.workload])}`,
      value => brief(value, "s", beside),
    ),
  );
}

// A table with a bar a row: read by a screen reader as a table.
function barTable(engine, values, named, caption, text, limit) {
  const most = Math.max(limit ?? 0, ...named.map(([, name]) => engine.value(values, name))) || 1;
  const rows = named.map(([title, name], at) => {
    const value = engine.value(values, name),
      bar = drawn(
        "svg",
        {viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true"},
        drawn("rect", {
          x: 0,
          y: 0,
          width: (100 * value) / most,
          height: 6,
          class: COLOURS[limit ? 0 : at % COLOURS.length],
        }),
      );
    if (limit) bar.append(drawn("rect", {x: (100 * limit) / most - 0.3, y: 0, width: 0.6, height: 6, class: "limit"}));
    return element(
      "tr",
      {},
      element("th", {scope: "row"}, title),
      element("td", {class: "wide"}, bar),
      element("td", {class: "num"}, figureButton(name, text(value))),
    );
  });
  return element("table", {class: "bars"}, element("caption", {}, caption), element("tbody", {}, ...rows));
}

// Every figure, found by its name or title.
function buildFind(engine) {
  const list = element("ul", {class: "found"}),
    box = element("input", {
      type: "search",
      id: "find-figure",
      placeholder: "such as KV cache",
      oninput: () => findFigures(engine, box.value, list),
    });
  fill(
    byId("find").lastElementChild,
    element("label", {for: "find-figure"}, `Search ${engine.data.figures.length} figures`),
    box,
    list,
  );
  controls.push(() => findFigures(engine, box.value, list));
}

const MOST_FOUND = 12;

function findFigures(engine, typedText, list) {
  const wanted = typedText.trim().toLowerCase();
  const found = wanted
    ? engine.data.figures
        .filter(([name, title]) => `${name} ${title}`.toLowerCase().includes(wanted))
        .sort((one, other) => one[1].length - other[1].length)
        .slice(0, MOST_FOUND)
    : [];
  fill(
    list,
    ...found.map(([name, title]) =>
      element("li", {}, figureButton(name, `${title}: ${rangedFigure(engine, name)}`)),
    ),
  );
}
