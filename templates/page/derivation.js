// How a number comes about: what it is, its formula, the same with numbers put in, its source, and what it reads.
const trail = [];

function openDerivation(name) {
  const dialog = byId("derivation");
  if (dialog.open) trail.push(dialog.dataset.name);
  else trail.length = 0;
  showDerivation(name);
  if (!dialog.open) dialog.showModal();
}

function showDerivation(name) {
  const dialog = byId("derivation"),
    {engine} = page,
    at = engine.at.get(name),
    about = engine.about(at);
  dialog.dataset.name = name;
  const back = element("button", {type: "button", onclick: () => showDerivation(trail.pop())}, "Back");
  const close = element("button", {type: "button", onclick: () => dialog.close()}, "Close");
  const title = element("h2", {id: "derivation-title", tabindex: -1}, about.title);
  fill(
    dialog,
    element("div", {class: "buttons"}, trail.length ? back : undefined, close),
    title,
    element("p", {class: "soft"}, about.meaning),
    ...workedOut(engine, at, about),
  );
  title.focus();
}

function workedOut(engine, at, about) {
  const result = element("b", {}, texted(engine, at));
  if (at < engine.firstFigure)
    return [
      element("p", {}, symbolOf(engine, at), " = ", result),
      element("p", {class: "soft"}, originOf(engine, at, about)),
    ];
  const given = about.name in page.job.overrides;
  const lines = given
    ? [element("p", {}, result, " is given in its place.")]
    : [
        element(
          "p",
          {class: "formula"},
          symbolOf(engine, at),
          " = ",
          ...formulaOf(engine, at, one => symbolOf(engine, one)),
        ),
        element("p", {class: "formula"}, " = ", ...formulaOf(engine, at, one => operand(engine, one))),
        element("p", {class: "formula"}, " = ", result),
      ];
  const rows = engine
    .reads(at)
    .filter(one => !engine.isConstant(one))
    .map(one => element("li", {}, figureButton(engine.names[one], engine.about(one).title), ` ${texted(engine, one)}`));
  return [
    ...lines,
    element("p", {class: "soft"}, `Source: ${about.source} Basis: ${about.basis}.`),
    rows.length ? element("h3", {}, "Made of") : undefined,
    rows.length ? element("ul", {}, ...rows) : undefined,
  ].filter(Boolean);
}

// Where an input comes from: typed, changed here, looked up or a default.
function originOf(engine, at, about) {
  if (about.name in page.job.overrides) return "Given in place of what is looked up.";
  const [field, part] = engine.data.supplies[at],
    {kind, table} = engine.fields.get(field),
    chosen = page.job.settings[field];
  if (kind === "choice") {
    const source = sourceOf(engine.data.tables[table], part || about.name, engine.rows.get(table).get(chosen));
    return `Looked up in ${engine.data.tables[table].title.toLowerCase()}: ${chosen}. ${source || about.source || ""}`;
  }
  return `${about.name} of the scenario, its model card or the default. ${about.source ?? ""}`;
}

// Where the number of a row was read.
function sourceOf({sources}, column, row) {
  const of = sources.of[column];
  return sources.titles[(typeof of === "string" ? sources.of[of] : of)?.[row]];
}

function symbolOf(engine, at) {
  if (engine.isConstant(at)) return texted(engine, at);
  const about = engine.about(at),
    [first, ...low] = (about.symbol || "").split("_");
  if (!first) return element("span", {class: "word"}, about.title.slice(0, 1).toLowerCase() + about.title.slice(1));
  return element("i", {}, first, low.length ? element("sub", {}, low.join("_")) : undefined);
}

// A value inside a formula: what stands for words is a number there.
function operand(engine, at) {
  return engine.about(at).labels?.length ? String(lastValues[at]) : texted(engine, at);
}

function texted(engine, at) {
  const about = engine.about(at),
    value = lastValues[at];
  return about.labels?.length ? about.labels[value - 1] : shown(value, about.unit);
}

// The formula that runs, read from its own text; `named` writes each value.
function formulaOf(engine, at, named) {
  const text = engine.code.figures[at - engine.firstFigure].toString().slice(3);
  return text
    .split(/(v\[\d+\])/)
    .map((part, odd) => (odd % 2 ? named(+part.slice(2, -1)) : readable(part)))
    .filter(Boolean);
}

const SPELT = {up: "ceil", down: "floor", M: "max", m: "min"};

function readable(part) {
  return part
    .replace(/\b(up|down|M|m)\(/g, (_, word) => `${SPELT[word]}(`)
    .replace(/!=0\?/g, " then ")
    .replace(/:/g, " else ")
    .replace(/\*/g, " · ")
    .replace(/\//g, " / ")
    .replace(/([<>]=?)/g, " $1 ")
    .replace(/\+/g, " + ")
    .replace(/-/g, " − ")
    .replace(/,/g, ", ");
}
