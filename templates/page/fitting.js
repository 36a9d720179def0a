// What would make it fit: every single change of an input, computed, and those listed that lead to a verdict of room.
const MOST_LISTED = 8;
const FITTING_NEEDS = ["fits", "peak_bytes", "peak_bytes_high", "usable_bytes"];

// Values that one might try instead: other names of a table; halves and doubles of a number.
function othersOf(engine, field, value) {
  if (field.kind === "choice")
    return field.section === "cost" ? [] : engine.data.tables[field.table].ids.filter(one => one !== value);
  if (field.kind === "switch") return [!value];
  if (field.kind !== "whole" || !(value > 0)) return [];
  return [1 / 8, 1 / 4, 1 / 2, 2, 4, 8]
    .map(factor => Math.round(value * factor))
    .filter(one => one >= 1 && one !== value && !outOfLimits(field, one));
}

const TRIED_SECTIONS = ["hardware", "training", "serving"];

function* singleChanges(engine, job) {
  for (const field of engine.fields.values()) {
    if (!TRIED_SECTIONS.includes(field.section) || !engine.data.trials.includes(field.name)) continue;
    for (const value of othersOf(engine, field, job.settings[field.name])) yield [field, value];
  }
}

// The changes that give every part room, best of each input first.
function fittingChanges(state) {
  const {engine} = state,
    job = state.job(),
    found = [],
    needs = [...FITTING_NEEDS, ...amountNeeds(engine)];
  const batch = engine.value(page.values, "global_batch_size");
  for (const [field, value] of singleChanges(engine, job)) {
    const key = `${field.section}.${field.name}`,
      edits = state.edited(key, value),
      tried = state.job(edits);
    const values = engine.compute(tried, needs),
      verdict = engine.verdict(values);
    // A processor or GPU without a price would only move the fault to the bill.
    if (verdict < 4 || engine.broken(values).some(one => one[2])) continue;
    if (priceFaults(engine, tried, state.scenario.billed).length) continue;
    const different =
      engine.data.sameJob.includes(field.name) ||
      (engine.has("global_batch_size") &&
        engine.value(engine.compute(tried, ["global_batch_size"]), "global_batch_size") !== batch);
    found.push({
      field,
      value,
      before: job.settings[field.name],
      different,
      key,
      verdict,
      time: engine.amount("time", values)?.[0],
      cost: engine.amount("cost", values)?.[0],
      room: engine.value(values, "usable_bytes") - engine.value(values, "peak_bytes"),
    });
  }
  return bestOfEach(found);
}

const amountNeeds = engine => engine.data.amountNeeds;

// Of a number the nearest value that does, of a choice the quickest two; the different job last.
function bestOfEach(found) {
  const byField = Map.groupBy ? Map.groupBy(found, one => one.field.name) : grouping(found);
  const best = [...byField.values()].flatMap(ones => {
    const nearest = (a, b) => Math.abs(Math.log(a.value / a.before)) - Math.abs(Math.log(b.value / b.before));
    return ones
      .sort(ones[0].field.kind === "whole" ? nearest : cheaper)
      .slice(0, ones[0].field.name === "accelerator" ? 3 : 1);
  });
  return best.sort((a, b) => a.different - b.different || cheaper(a, b)).slice(0, MOST_LISTED);
}

// The lower cost first, what has no price last, then the shorter time.
function cheaper(a, b) {
  const cost = one => (one.cost > 0 ? one.cost : Infinity),
    [first, second] = [cost(a), cost(b)];
  return first === second ? (a.time || 0) - (b.time || 0) : first - second;
}

function grouping(found) {
  const groups = new Map();
  for (const one of found) groups.set(one.field.name, [...(groups.get(one.field.name) ?? []), one]);
  return groups;
}

function showFitting(state, values) {
  const section = byId("fitting"),
    verdict = state.engine.verdict(values);
  section.hidden = verdict === 4;
  if (verdict === 4) return;
  const rows = fittingChanges(state).map(one => fittingRow(state, one));
  const table = element(
    "table",
    {},
    element("caption", {}, "One change each, computed here. A press makes it."),
    element(
      "thead",
      {},
      element("tr", {}, ...["Change", "Headroom", "Time", "Cost"].map(title => element("th", {scope: "col"}, title))),
    ),
    element("tbody", {}, ...rows),
  );
  fill(
    section.lastElementChild,
    rows.length ? table : element("p", {}, "No single change does; memreport plan searches combinations."),
  );
}

function fittingRow(state, one) {
  const {data} = state.engine,
    text = (name, value) => (value === undefined || Number.isNaN(value) ? "–" : brief(value, data.amounts[name][1]));
  const job = one.different ? " (a different job)" : "";
  const button = element(
    "button",
    {type: "button", class: "figure", onclick: () => change(() => state.set(one.key, one.value))},
    `${one.field.title}: ${valueWords(state.engine, one.field, one.value)}`,
  );
  return element(
    "tr",
    {},
    element("th", {scope: "row"}, button, job),
    element("td", {}, inGib(one.room)),
    element("td", {}, text("time", one.time)),
    element("td", {}, data.amounts.cost && state.scenario.billed ? text("cost", one.cost) : "–"),
  );
}

function valueWords(engine, field, value) {
  if (field.kind === "choice") return String(value);
  return field.kind === "switch" ? (value ? "yes" : "no") : shown(value, field.unit);
}
