// The figures of a workload over the settings of one job.  What is read from where is data; the formulas are FIGURES.
class Engine {
  constructor(workload) {
    const data = (this.data = DATA.engines[workload]);
    this.workload = workload;
    this.code = FIGURES[workload];
    data.inputs = data.inputs.map(one => data.fields[one]?.[0] ?? one);
    this.names = [...data.inputs, ...data.constants.map(one => one[0]), ...data.figures.map(one => one[0])];
    this.at = new Map(this.names.map((name, at) => [name, at]));
    data.supplies = data.supplies.map(([field, part], at) => [field || data.inputs[at], part]);
    this.fields = new Map(data.fields.map(one => [one[0], asField(one)]));
    this.rows = new Map(
      Object.entries(data.tables).map(([name, table]) => [name, new Map(table.ids.map((id, at) => [id, at]))]),
    );
    this.ofAccelerator = [...Object.keys(data.tables.accelerators.columns), ...data.ofAccelerator];
    this.firstConstant = data.inputs.length;
    this.firstFigure = this.firstConstant + data.constants.length;
    this.blank = new Float64Array(this.names.length);
    data.constants.forEach((one, at) => {
      this.blank[this.firstConstant + at] = one[1];
    });
    this.readers = data.supplies.map((supply, at) => this.reader(supply, data.inputs[at]));
    this.wholeOrder = data.figures.map((_, at) => at);
    this.orders = new Map();
    this.known = [];
  }

  // How an input comes out of the settings.
  reader([name, part], input) {
    const {kind, table} = this.fields.get(name);
    if (kind === "list") return settings => +settings[name].includes(part);
    if (kind !== "choice") return settings => (settings[name] === undefined ? NaN : +settings[name]);
    const values = this.data.tables[table].columns[part || input],
      rows = this.rows.get(table);
    return settings => values[rows.get(settings[name])];
  }

  // The number of an input in some settings.
  read(name, settings) {
    return this.readers[this.at.get(name)](settings);
  }

  // The host in which so many of a GPU usually stand.
  hostOf(gpu, count) {
    const hosts = this.data.hosts[this.rows.get("accelerators").get(gpu)];
    return hosts.find(([most]) => most === null || count <= most)[1];
  }

  // Constants and inputs; an override stands in place of an input.
  filled(job) {
    const values = this.blank.slice();
    for (let at = 0; at < this.readers.length; at++) values[at] = this.readers[at](job.settings) ?? NaN;
    for (const [name, value] of Object.entries(job.overrides)) {
      const at = this.at.get(name);
      if (at !== undefined && at < this.firstFigure) values[at] = value;
    }
    return values;
  }

  // All values of a job, or those that the wanted figures need.
  compute(job, wanted) {
    const values = this.filled(job),
      given = new Map(),
      figures = this.code.figures;
    for (const [name, value] of Object.entries(job.overrides)) given.set(this.at.get(name), value);
    for (const figure of wanted ? this.orderFor(wanted) : this.wholeOrder) {
      const at = this.firstFigure + figure;
      values[at] = given.size && given.has(at) ? given.get(at) : figures[figure](values);
    }
    return values;
  }

  // A function that gives the values of a job in which some numbers are replaced: only what depends on them is computed
  // again, into the same array.
  sweep(job, fields, wanted) {
    const values = this.compute(job, wanted),
      places = fields.map(name => this.at.get(name)),
      changed = new Set(places);
    const order = this.orderFor(wanted)
      .map(figure => this.firstFigure + figure)
      .filter(at => {
        const depends = !(this.names[at] in job.overrides) && this.reads(at).some(read => changed.has(read));
        if (depends) changed.add(at);
        return depends;
      });
    const rules = order.map(at => this.code.figures[at - this.firstFigure]);
    return numbers => {
      for (let at = 0; at < places.length; at++) values[places[at]] = numbers[at];
      for (let at = 0; at < order.length; at++) values[order[at]] = rules[at](values);
      return values;
    };
  }

  // Which figures the wanted ones are made of, in order: what a formula reads stands in its own text.
  orderFor(wanted) {
    const key = wanted.join();
    if (!this.orders.has(key)) {
      const found = new Set(),
        open = wanted.map(name => this.at.get(name)).filter(at => at >= this.firstFigure);
      while (open.length) {
        const at = open.pop();
        if (found.has(at)) continue;
        found.add(at);
        open.push(...this.reads(at).filter(read => read >= this.firstFigure));
      }
      this.orders.set(
        key,
        [...found].map(at => at - this.firstFigure).sort((a, b) => a - b),
      );
    }
    return this.orders.get(key);
  }

  reads(at) {
    if (at < this.firstFigure) return [];
    if (!this.known[at]) {
      const places = this.code.figures[at - this.firstFigure].toString().matchAll(/v\[(\d+)\]/g);
      this.known[at] = [...new Set([...places].map(match => +match[1]))];
    }
    return this.known[at];
  }

  // Whether any figure or rule reads a field, itself or what it picks.
  isRead(field) {
    return field.kind === "optional"
      ? this.has(field.name)
      : this.data.supplies.some(supply => supply[0] === field.name);
  }

  value(values, name) {
    return values[this.at.get(name)];
  }
  has(name) {
    return this.at.has(name);
  }

  // Inputs come first, then constants, then figures.
  isConstant(at) {
    return at >= this.firstConstant && at < this.firstFigure;
  }

  // Unit, title and meaning of a constant, an input or a figure.
  about(at) {
    const name = this.names[at];
    if (at >= this.firstFigure) {
      const [, title, symbol, unit, basis, meaning, source] = this.data.figures[at - this.firstFigure],
        labels = this.data.labels[name] ?? [];
      return {name, title, symbol, unit: unitShown(name, unit), meaning, source, basis, labels};
    }
    if (this.isConstant(at)) {
      const unit = this.data.constants[at - this.firstConstant][2];
      return {name, title: name, symbol: "", unit, meaning: "a constant", labels: []};
    }
    const [title, unit, meaning] = this.data.about[at],
      field = this.fields.get(name);
    if (field) return {...field, unit: unitShown(name, field.unit), labels: []};
    return {name, title, symbol: "", unit, meaning, source: "", labels: []};
  }

  verdict(values) {
    return this.code.verdict(values);
  }

  // The sentence of the first case that applies.
  sentence(values, subject) {
    const at = this.code.cases.findIndex(applies => applies(values));
    const pattern = this.data.sentences[Math.max(at, 0)];
    return pattern.replace(/\{(\w+)\}/g, (_, name) => (name === "subject" ? subject : this.slot(name, values)));
  }

  slot(name, values) {
    const form = this.data.slots[name],
      numbers = this.code.slots[name].map(rule => rule(values));
    if (numbers.length > 1) return pairInGib(...numbers)[+form.startsWith("second")];
    if (form === "GiB") return inGib(numbers[0]);
    return form === "share" ? `${Math.floor(100 * numbers[0] + 0.5)} %` : grouped(numbers[0]);
  }

  // Value, low and high end of time or cost; undefined where there is none.
  amount(name, values) {
    return this.data.amounts[name]?.[2].map(figure => this.value(values, figure));
  }

  // Rules that the job breaks: [field, message, whether it is a fault].
  broken(values) {
    return this.data.rules.filter((_, at) => +this.code.rules[at](values) === 0);
  }
}

const SHARE = new RegExp(DATA.numbers.share);
const unitShown = (name, unit) => (unit !== "" && unit !== "1" ? unit : SHARE.test(name.split(".")[0]) ? "share" : "1");

function asField([name, section, kind, unit, meaning, title, symbol, source, lowest, highest, above, table]) {
  return {name, section, kind, unit, meaning, title, symbol, source, lowest, highest, above, table};
}
