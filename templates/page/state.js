// What the reader has changed: a variant to start from, and fields by the names that a scenario file has for them.
class State {
  constructor(engine, scenario) {
    this.engine = engine;
    this.scenario = scenario;
    this.start = Math.max(
      0,
      scenario.variants.findIndex(one => one[0] === scenario.chosen),
    );
    this.first = this.start;
    this.edits = {};
    this.past = [];
  }

  get startName() {
    return this.scenario.variants[this.start][0];
  }
  get isChanged() {
    return Object.keys(this.edits).length > 0;
  }

  // The variant's own changes with the reader's on top; what was typed of another GPU does not go along.
  changes(edits = this.edits) {
    const own = {...this.scenario.variants[this.start][1]};
    if ("hardware.accelerator" in edits) for (const name of this.engine.ofAccelerator) delete own[`overrides.${name}`];
    return {...own, ...edits};
  }

  job(edits = this.edits) {
    return jobOf(this.engine, this.scenario, this.changes(edits));
  }

  // The edits with one more field; a GPU brings its host and its price; what was so before, or follows, is no edit.
  edited(key, value) {
    const {fields, rows} = this.scenario.cards,
      known = this.engine.data.tables.accelerators.ids,
      row = key === "hardware.accelerator" ? rows[known.indexOf(value)] : undefined;
    const brought = row ? Object.fromEntries(fields.map((name, at) => [name, row[at]])) : {};
    const edits = {...this.edits, [key]: value, ...brought};
    const before = this.job({});
    for (const [name, one] of Object.entries(edits)) {
      if (name !== "hardware.host" && !same(settingOf(this.engine, before, name), one)) continue;
      const {[name]: _, ...others} = edits;
      if (same(settingOf(this.engine, this.job(others), name), one)) delete edits[name];
    }
    if (value === undefined) delete edits[key];
    return edits;
  }

  set(key, value) {
    this.go({start: this.start, edits: this.edited(key, value)});
  }
  startFrom(at) {
    this.go({start: at, edits: {}});
  }
  reset() {
    this.go({start: this.first, edits: {}});
  }

  go(next) {
    this.past.push({start: this.start, edits: this.edits});
    if (this.past.length > 200) this.past.shift();
    Object.assign(this, next);
  }

  get faults() {
    return priceFaults(this.engine, page.job, this.scenario.billed);
  }
  undo() {
    if (this.past.length) Object.assign(this, this.past.pop());
  }

  get address() {
    if (!this.isChanged && this.start === this.first) return this.scenario.free ? `job=${this.engine.workload}` : "";
    const pairs = Object.entries(this.edits).map(([key, value]) => [key, JSON.stringify(value)]);
    const from = this.scenario.free ? ["job", this.engine.workload] : ["from", this.startName];
    return new URLSearchParams([from, ...pairs]).toString();
  }

  // Take over an address; what it says of unknown names or of values that may not be is left out, and named.
  read(address) {
    const left = [],
      edits = {};
    let start = this.first;
    for (const [key, text] of new URLSearchParams(address)) {
      if (key === "job") continue;
      if (key === "from") {
        const at = this.scenario.variants.findIndex(one => one[0] === text);
        if (at < 0) left.push(text);
        else start = at;
        continue;
      }
      const value = parsedJson(text);
      if (mayBe(this.engine, key, value)) edits[key] = value;
      else left.push(`${key}${this.engine.fields.has(lastName(key)) ? "" : didYouMean(nearest(lastName(key), this.engine.fields.keys()))}`);
    }
    Object.assign(this, {start, edits});
    return left;
  }
}

const OWN_PRICES = DATA.ownPrices;
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function parsedJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const lastName = key => key.slice(key.lastIndexOf(".") + 1);

// What a job has under the name of a field; of a model its card.
function settingOf(engine, job, key) {
  const name = lastName(key),
    field = engine.fields.get(name);
  if (key === "model") return job.model;
  return key.startsWith("overrides.") || field?.kind === "optional" ? job.overrides[name] : job.settings[name];
}

function cardValues(id) {
  const values = Object.fromEntries(DATA.cards.fields.map((name, at) => [name, DATA.cards.rows[id][at + 1]]));
  values.extra_parameters += values.tower_parameters;
  return values;
}

// Settings, active overrides and model of a job, as resolving a variant makes them.
function jobOf(engine, scenario, changes) {
  const {base} = scenario,
    model = changes.model ?? base.model,
    stated = new Set(scenario.stated);
  const settings = {...cardValues(base.model), ...base.settings},
    overrides = {...base.overrides},
    quoted = {...base.quoted};
  if (changes.model !== undefined) {
    const kept = stated.has("weight_dtype") ? {weight_dtype: settings.weight_dtype} : {};
    Object.assign(settings, cardValues(model), kept);
  }
  for (const [key, value] of Object.entries(changes)) {
    const name = lastName(key),
      field = engine.fields.get(name);
    if (key === "model" || value === undefined) continue;
    if (!field || key.startsWith("overrides.") || field.kind === "optional") overrides[name] = value;
    else {
      settings[name] = value;
      stated.add(name);
    }
    if (engine.ofAccelerator.includes(name)) quoted[name] = changes["hardware.accelerator"] ?? settings.accelerator;
  }
  for (const [name, of] of Object.entries(quoted)) if (of !== settings.accelerator) delete overrides[name];
  if (scenario.demanded) stated.add("demand");
  follow(engine, {model, settings}, stated);
  return {model, settings, overrides};
}

// What follows from the GPU, the program, the model and lengths where nobody stated it.
function follow(engine, {model, settings}, stated) {
  const rules = engine.code.following,
    card = cardValues(model),
    read = name => engine.read(name, settings);
  const open = engine.data.following.map((one, at) => [...one, rules[at]]).filter(([field]) => !stated.has(field));
  for (const [field, usual] of open) settings[field] = card[field] ?? usual;
  for (const [field, usual, choice, unless, given, rule] of open) {
    if (unless.some(name => stated.has(name)) || (given.length && !given.some(name => stated.has(name)))) continue;
    const value = rule(read);
    if (choice === null) settings[field] = value;
    else if (value > 0 && (card[field] ?? usual) === usual) settings[field] = choice;
  }
  if (!stated.has("host")) settings.host = engine.hostOf(settings.accelerator, settings.count);
  if (stated.has("demand") && !stated.has("api_price")) settings.api_price = cheapestApi(engine, model, settings);
}

// The API at which a request to the model costs least.
function cheapestApi(engine, model, settings) {
  const {ids, words} = engine.data.tables.apis;
  let [best, least] = ["none", Infinity];
  ids.forEach((api_price, at) => {
    const usd = engine.code.following.at(-1)(name => engine.read(name, {...settings, api_price}));
    if (words.model[at] === model && usd < least) [best, least] = [api_price, usd];
  });
  return best;
}

// Whether a value may stand in a field: a name of its table, a number within its limits.
function mayBe(engine, key, value) {
  if (key === "model") return Object.hasOwn(DATA.cards.rows, value);
  const name = lastName(key),
    field = engine.fields.get(name);
  if (key.startsWith("overrides.")) return engine.has(name) && Number.isFinite(value);
  if (!field || `${field.section}.${name}` !== key) return false;
  if (field.kind === "choice") return engine.rows.get(field.table)?.has(value) ?? false;
  if (field.kind === "list") return Array.isArray(value) && value.every(one => field.table.includes(one));
  if (field.kind === "switch") return typeof value === "boolean" || value === 0 || value === 1;
  return Number.isFinite(value) && !outOfLimits(field, value);
}

// What is wrong with a number for a field; nothing where it may be.
function outOfLimits(field, value) {
  const most = DATA.numbers.largest[+(field.kind === "whole")];
  if (field.kind === "whole" && !Number.isInteger(value)) return "a whole number is needed";
  if (field.lowest !== null && (field.above ? value <= field.lowest : value < field.lowest))
    return `must be ${field.above ? "more than" : "at least"} ${field.lowest}`;
  if (field.highest !== null && value > field.highest) return `must be at most ${field.highest}`;
  return Math.abs(value) > most ? `must be at most ${most}` : "";
}

// A price belongs to its GPU, and the basis needs the price that it bills.
function priceFaults(engine, job, billed) {
  if (!billed || !engine.rows.has("rental_prices")) return [];
  const found = [],
    card = job.settings.accelerator;
  for (const [name, basis] of [
    ["price", "rent"],
    ["purchase_price", "buy"],
  ]) {
    const table = engine.data.tables[engine.fields.get(name).table],
      row = table.ids.indexOf(job.settings[name]);
    const of = table.words.accelerator[row],
      typed = OWN_PRICES.some(one => one in job.overrides && one in table.columns);
    if (of && of !== card) found.push([name, `is the price of ${of}, not of ${card}`, true]);
    else if (!of && job.settings.basis === basis && !typed) found.push([name, `is needed to bill ${card}`, true]);
  }
  return found;
}
