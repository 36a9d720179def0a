// Controls of the inputs: the levers, then every field in folded groups.  A control knows how to show a job's value.
const SECTION_TITLES = {
  model: "Model",
  hardware: "Hardware",
  training: "Training",
  serving: "Serving",
  demand: "Demand",
  cost: "Cost",
  overrides: "Overrides",
};
const controls = [];

// A row: label, control, unit, and what is wrong with what was typed.
function inputRow(state, field, key, prefix) {
  const id = `${prefix}-${key.replace(/[^a-z0-9]/gi, "-")}`;
  const fault = element("span", {class: "wrong", id: `${id}-fault`, role: "alert"});
  const control = controlOf(state, field, key, id, fault);
  const back = element(
    "button",
    {type: "button", class: "back", hidden: true, onclick: () => change(() => state.set(key, undefined))},
    "↺",
  );
  back.setAttribute("aria-label", `${field.title}: as it was`);
  const label = control.group
    ? element("span", {class: "label", id: `${id}-label`}, field.title)
    : element("label", {for: id}, field.title);
  const hint = element("small", {id: `${id}-hint`}, hintOf(field));
  const row = element(
    "div",
    {class: "input", "data-words": `${field.title} ${field.name} ${field.meaning}`.toLowerCase()},
    label,
    element("span", {class: "control"}, ...control.nodes, back),
    hint,
    fault,
  );
  controls.push(job => {
    const folded = row.closest("details:not([open])");
    if (folded && !folded.dataset.waits) waitFor(folded);
    if (folded) return;
    const value = settingOf(state.engine, job, key),
      changed = key in state.edits;
    row.classList.toggle("changed", changed);
    back.hidden = !changed;
    control.show(value, job);
  });
  return row;
}

// What is folded is shown as it is when it is opened.
function waitFor(folded) {
  folded.dataset.waits = "yes";
  folded.addEventListener("toggle", () => {
    if (folded.open) for (const control of controls) control(page.job);
  });
}

function hintOf(field) {
  const unit = field.unit && field.unit !== "1" && field.unit !== "share" ? ` (${field.unit})` : "";
  return `${field.meaning}${unit}`;
}

function controlOf(state, field, key, id, fault) {
  if (field.kind === "choice" || field.kind === "model") return choiceControl(state, field, key, id);
  if (field.kind === "switch") return switchControl(state, key, id);
  if (field.kind === "list") return listControl(state, field, key, id);
  return numberControl(state, field, key, id, fault);
}

function choiceControl(state, field, key, id) {
  const select = element("select", {
    id,
    "aria-describedby": `${id}-hint`,
    onchange: () =>
      change(() => state.set(key, (field.kind === "model" ? Object.keys(cards) : ids)[select.selectedIndex])),
  });
  const table = state.engine.data.tables[field.table],
    cards = DATA.cards.rows;
  const ids = field.kind === "model" ? Object.keys(cards) : table.ids;
  ids.forEach((one, at) => {
    const title = field.kind === "model" ? cards[one][0] : table.titles[at];
    select.append(element("option", {}, !title || title === `${one}` ? one : `${one}: ${title}`));
  });
  const own = ownPriceOf(state, field),
    none = select.options[0]?.text;
  return {
    nodes: [select],
    show: (value, job) => {
      const typed = own in job.overrides;
      if (own) select.options[0].text = typed ? "typed below" : none;
      select.disabled = typed;
      select.selectedIndex = typed ? 0 : (field.kind === "model" ? Object.keys(cards) : ids).indexOf(value);
    },
  };
}

// The number that may be typed in place of a price that is chosen.
function ownPriceOf(state, field) {
  const table = state.engine.data.tables[field.table];
  return field.kind === "choice" ? OWN_PRICES.find(name => name in table.columns) : undefined;
}

function switchControl(state, key, id) {
  const box = element("input", {
    type: "checkbox",
    id,
    "aria-describedby": `${id}-hint`,
    onchange: () => change(() => state.set(key, box.checked)),
  });
  return {
    nodes: [box],
    show: value => {
      box.checked = Boolean(value);
    },
  };
}

function listControl(state, field, key, id) {
  const boxes = field.table.map(member =>
    element("input", {
      type: "checkbox",
      "aria-label": member,
      onchange: () => {
        change(() =>
          state.set(
            key,
            field.table.filter((_, at) => boxes[at].checked),
          ),
        );
      },
    }),
  );
  const group = element(
    "span",
    {id, role: "group", "aria-labelledby": `${id}-label`, class: "members"},
    ...boxes.map((box, at) => element("span", {}, box, field.table[at])),
  );
  return {
    nodes: [group],
    group: true,
    show: value =>
      boxes.forEach((box, at) => {
        box.checked = value.includes(field.table[at]);
      }),
  };
}

// A number, typed with or without a unit; a slider beside it doubles and halves.
function numberControl(state, field, key, id, fault) {
  const box = element("input", {
    type: "text",
    id,
    inputmode: "decimal",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": `${id}-hint ${id}-fault`,
    onchange: () => typed(state, field, key, box, fault),
  });
  const slider = sliderOf(state, field, key);
  return {
    nodes: slider ? [box, slider.node] : [box],
    show: (value, job) => {
      fault.textContent = "";
      box.removeAttribute("aria-invalid");
      box.value = value === undefined ? "" : String(value);
      if (value === undefined) box.placeholder = placeholderOf(state, field, job);
      slider?.show(value);
    },
  };
}

function placeholderOf(state, field) {
  const value = state.engine.has(field.name) ? lastValues[state.engine.at.get(field.name)] : NaN;
  return Number.isFinite(value) ? `${shown(value, unitShown(field.name, field.unit))} (computed)` : "as looked up";
}

function typed(state, field, key, box, fault) {
  if (!box.value.trim() && (field.kind === "optional" || field.kind === "override"))
    return change(() => state.set(key, undefined));
  const unit = field.unit === "share" && !box.value.includes("%") ? "1" : field.unit;
  const read = parseQuantity(box.value, unit),
    message = typeof read === "number" ? outOfLimits(field, read) : `${read.message} (allowed: ${read.allowed})${didYouMean(read.near)}`;
  if (!message) return change(() => state.set(key, read));
  fault.textContent = `${field.title} ${message}; found ${box.value}`;
  box.setAttribute("aria-invalid", "true");
}

const STEPS_EACH_WAY = 8;

// Powers of two around the value with which the page began; nothing for what is no positive number.
function sliderOf(state, field, key) {
  const start = settingOf(state.engine, state.job({}), key);
  if (!(start > 0) || field.kind === "override") return undefined;
  const factor = field.unit === "share" || (start < 1 && field.kind === "number") ? 2 ** (1 / 8) : 2;
  const at = step => start * factor ** step,
    may = step => !outOfLimits(field, at(step));
  const steps = Array.from({length: 2 * STEPS_EACH_WAY + 1}, (_, one) => one - STEPS_EACH_WAY).filter(may);
  const node = element("input", {
    type: "range",
    min: Math.min(...steps),
    max: Math.max(...steps),
    step: 1,
    "aria-label": `${field.title}, slider`,
    oninput: () => change(() => state.set(key, rounded15(at(+node.value)))),
  });
  return {
    node,
    show: value => {
      node.value = Math.round(Math.log(value / start) / Math.log(factor));
      node.setAttribute("aria-valuetext", String(value));
    },
  };
}

const rounded15 = value => +value.toPrecision(6);

// The levers, then all fields by section, and overrides of figures that reviewers replace.
function buildInputs(state) {
  controls.length = 0;
  const {engine} = state,
    keys = name => `${engine.fields.get(name).section}.${name}`;
  const model = {name: "model", title: "Model", kind: "model", meaning: "the model card"};
  const rowsOf = (field, prefix) => {
    const own = ownPriceOf(state, field),
      row = inputRow(state, field, keys(field.name), prefix);
    return own && engine.data.overrides.includes(own) ? [row, overrideRow(state, own, prefix)] : [row];
  };
  const levers = engine.data.shown.levers
    .map(name => engine.fields.get(name))
    .filter(field => engine.isRead(field))
    .flatMap(field => rowsOf(field, "lever"));
  fill(byId("levers"), ...(state.scenario.free ? [inputRow(state, model, "model", "lever")] : []), ...levers);
  const groups = new Map();
  for (const field of engine.fields.values())
    if (!engine.data.shown.levers.includes(field.name) && engine.isRead(field)) {
      if (!groups.has(field.section)) groups.set(field.section, []);
      groups.get(field.section).push(...rowsOf(field, "all"));
    }
  if (!state.scenario.free) groups.get("model").unshift(inputRow(state, model, "model", "all"));
  groups.set(
    "overrides",
    engine.data.overrides.filter(name => !OWN_PRICES.includes(name)).map(name => overrideRow(state, name, "all")),
  );
  fill(
    byId("groups"),
    ...[...groups].map(([section, rows]) =>
      element("details", {}, element("summary", {}, SECTION_TITLES[section]), ...rows),
    ),
  );
  buildSearch();
}

function overrideRow(state, name, prefix) {
  const about = state.engine.about(state.engine.at.get(name));
  const field = {...about, kind: "override", lowest: 0, highest: null, above: false};
  return inputRow(state, field, `overrides.${name}`, prefix);
}

// Shows only the rows that hold what is typed, and opens their groups.
function buildSearch() {
  const box = element("input", {
    type: "search",
    id: "search-inputs",
    placeholder: "name or meaning",
    oninput: () => {
      const wanted = box.value.trim().toLowerCase();
      for (const group of byId("groups").children) {
        let any = false;
        for (const row of group.querySelectorAll(".input"))
          any = !(row.hidden = !row.dataset.words.includes(wanted)) || any;
        group.hidden = !any;
        group.open = Boolean(wanted) && any;
      }
    },
  });
  fill(byId("search"), element("label", {for: "search-inputs"}, "Search inputs"), box);
}

// From which variant one starts.
function buildStart(state) {
  fill(byId("start-from"));
  if (state.scenario.variants.length < 2) return;
  const select = element("select", {id: "start", onchange: () => change(() => state.startFrom(select.selectedIndex))});
  for (const [name] of state.scenario.variants) select.append(element("option", {}, name));
  fill(
    byId("start-from"),
    element(
      "div",
      {class: "input"},
      element("label", {for: "start"}, "Start from variant"),
      element("span", {class: "control"}, select),
    ),
  );
  controls.push(() => {
    select.selectedIndex = state.start;
  });
}

function buildButtons(state) {
  const button = (text, action) => element("button", {type: "button", onclick: action}, text);
  const undo = button("Undo", () => change(() => state.undo())),
    reset = button("Reset", () => change(() => state.reset()));
  const said = element("span", {role: "status", "aria-live": "polite", class: "said"});
  const yaml = element("textarea", {
    readonly: true,
    rows: 6,
    "aria-label": "The changes as a variant in YAML",
    hidden: true,
  });
  const copy = button("Copy as YAML", async () => {
    yaml.value = variantYaml(state, "what if");
    yaml.hidden = false;
    yaml.select();
    const besides = state.changes().model === PASTED ? " Its model is the pasted one: save the scenario for that." : "";
    said.textContent =
      ((await copied(yaml.value))
        ? "Copied: paste it under variants:"
        : "Copy the marked text, and paste it under variants:") + besides;
  });
  const nodes = [undo, reset, copy];
  if (state.scenario.file) nodes.push(button("Save scenario", () => saved(state, said)));
  fill(byId("buttons"), ...nodes, said, yaml);
  controls.push(() => {
    undo.disabled = !state.past.length;
    reset.disabled = !state.isChanged && state.start === state.first;
    yaml.hidden = true;
    said.textContent = "";
  });
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return document.execCommand?.("copy") ?? false;
  }
}

function saved(state, said) {
  const id = `${state.scenario.name}-what-if`.slice(0, 80),
    text = scenarioYaml(state, "what if", id);
  const link = element("a", {
    href: URL.createObjectURL(new Blob([text], {type: "application/yaml"})),
    download: `${id}.yaml`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  said.textContent = `Saved as ${id}.yaml: memreport build ${id}.yaml`;
}
