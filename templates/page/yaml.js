// Changes as YAML, which memreport reads again.  Every text is quoted, so that none of it can mean anything else.
const PLAIN_KEY = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$/;

function yamlText(text) {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, sign =>
    /\p{L}|\p{N}|\p{P}|\p{S}/u.test(sign) ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function yamlScalar(value) {
  if (typeof value === "string") return yamlText(value);
  if (Array.isArray(value)) return `[${value.map(yamlScalar).join(", ")}]`;
  if (value !== null && typeof value === "object")
    return `{${Object.entries(value)
      .map(([key, one]) => `${yamlKey(key)}: ${yamlScalar(one)}`)
      .join(", ")}}`;
  return String(value);
}

const yamlKey = key => (PLAIN_KEY.test(key) ? key : yamlText(key));

function yamlBlock(entries, indent) {
  return Object.entries(entries)
    .map(([key, value]) => `${" ".repeat(indent)}${yamlKey(key)}: ${yamlScalar(value)}\n`)
    .join("");
}

// The present changes as a variant, to be pasted under `variants:`.
function variantYaml(state, name) {
  const changes = asWritten(state);
  return Object.keys(changes).length ? `  ${yamlText(name)}:\n${yamlBlock(changes, 4)}` : `  ${yamlText(name)}: {}\n`;
}

// Changes as a file takes them: a switch is true or false.
function asWritten(state) {
  const changes = {...state.changes()};
  if (changes.model === PASTED) {
    delete changes.model;
    Object.assign(changes, publishedWeights(state, changes));
  }
  for (const [key, value] of Object.entries(changes))
    if (state.engine.fields.get(lastName(key))?.kind === "switch") changes[key] = Boolean(value);
  return changes;
}

// A file holds the fields of a pasted model alone, so that the format in which it is published has to be stated beside.
function publishedWeights(state, changes) {
  const key = "serving.weight_dtype",
    isOpen = state.engine.workload === "serving" && !(key in changes) && !state.scenario.stated.includes("weight_dtype");
  return isOpen ? {[key]: cardValues(PASTED).weight_dtype} : {};
}

// The whole scenario with the present changes as one more variant; its tables of other variants stay as they are.
function scenarioYaml(state, name, id) {
  const {file} = state.scenario,
    own = file.variants && Object.keys(file.variants).length ? file.variants : {"as submitted": {}};
  const {variants: _, ...rest} = {...file, id, ...(state.changes().model === PASTED ? {model: DATA.cards.pasted} : {})};
  const lines = Object.entries(own)
    .filter(([key]) => key !== name)
    .map(([key, changes]) => {
      const inside = yamlBlock(changes ?? {}, 4);
      return `  ${yamlText(key)}:${inside ? `\n${inside}` : " {}\n"}`;
    });
  return `${yamlBlock(rest, 0)}variants:\n${lines.join("")}${variantYaml(state, name)}`;
}
