// A pasted config.json of a plain model type.  How each type is read is data of catalogue/huggingface; what is read
// otherwise is refused, with the command that reads it.
const PASTED = "pasted";
const isOn = value =>
  value !== null &&
  value !== undefined &&
  value !== false &&
  !(typeof value === "object" && Object.values(value).every(one => one === "full_attention"));

// The fields of a model card, or a text that says what is wrong.
function pastedFields(text) {
  const config = parsedJson(text),
    {families, sameAs, common, inside} = DATA.configs,
    otherwise = "memreport page --model config.json reads what this box does not";
  if (config === null || typeof config !== "object" || Array.isArray(config)) return "is no JSON object";
  const family = families[sameAs[config.model_type] ?? config.model_type];
  if (!family || inside.some(name => isOn(config[name])))
    return `model_type ${config.model_type} is not read here; ${otherwise}`;
  if (family.unless && isOn(config[family.unless]))
    return `${family.unless} is on, which is not read here; ${otherwise}`;
  if (isOn(config.quantization_config)) return `quantization_config is not read here; ${otherwise}`;
  const fields = {},
    wrong = [],
    seen = new Set([...DATA.configs.passedOver, ...DATA.configs.activationKeys, ...family.read, "tie_word_embeddings"]);
  const whole = (name, key, missing) => {
    const value = config[key] ?? missing;
    seen.add(key);
    if (!Number.isSafeInteger(value) || value < 0) wrong.push(`${key} must be a whole number`);
    fields[name] = value;
  };
  const keyOf = name => {
    const names = (family.names[name] ?? name).split("|");
    return names.find(one => one in config) ?? names[0];
  };
  for (const name of common) if (family.names[name] !== "") whole(name, keyOf(name), WHERE_MISSING[name]?.(fields));
  for (const [name, key] of Object.entries(family.copied)) whole(name, key);
  const flag = (name, key, missing) => {
    seen.add(key);
    fields[name] = config[key] ?? missing;
    if (typeof fields[name] !== "boolean") wrong.push(`${key} must be true or false`);
  };
  flag("tie_word_embeddings", "tie_word_embeddings", family.tied);
  for (const [name, [key, missing]] of Object.entries(family.flags)) flag(name, key, missing);
  const activation = activationOf(config, family);
  if (DATA.configs.activations.includes(activation)) fields.hidden_act = activation;
  Object.assign(fields, family.constants);
  const left = Object.keys(config).filter(key => !seen.has(key) && isOn(config[key]));
  return wrong.length
    ? wrong.join("; ")
    : {fields, left, title: typeof config._name_or_path === "string" ? config._name_or_path.slice(0, 80) : ""};
}

function activationOf(config, family) {
  const {activationKeys, sameActivation} = DATA.configs;
  const found =
    [...activationKeys]
      .reverse()
      .map(key => config[key])
      .find(Boolean) ?? family.activation;
  return family.oneActivation && String(found).startsWith("gelu")
    ? family.activation
    : (sameActivation[found] ?? found);
}

// A box for it, where a page is about no scenario; the model stands in the list of models from then on.
function buildPasted(state) {
  if (!state.scenario.free) return;
  const box = element("textarea", {rows: 5, id: "config", spellcheck: "false", "aria-describedby": "config-said"}),
    said = element("p", {id: "config-said", role: "status", "aria-live": "polite"});
  const read = element("button", {type: "button", onclick: () => takePasted(state, box.value, said)}, "Read it");
  byId("levers").append(
    element(
      "details",
      {},
      element("summary", {}, "Another model: paste its config.json"),
      element("label", {for: "config"}, "config.json of Hugging Face"),
      box,
      read,
      said,
    ),
  );
}

function takePasted(state, text, said) {
  const found = pastedFields(text);
  if (typeof found === "string") {
    said.textContent = found;
    return;
  }
  const values = {...DATA.defaults, ...found.fields};
  DATA.cards.rows[PASTED] = [
    found.title || "pasted config.json",
    ...DATA.cards.fields.map(name => (typeof values[name] === "boolean" ? +values[name] : values[name])),
  ];
  DATA.cards.pasted = found.fields;
  for (const select of document.querySelectorAll("[id$='-model']"))
    if (select.tagName === "SELECT" && select.lastElementChild.value !== PASTED)
      select.append(element("option", {value: PASTED}, PASTED));
  change(() => state.set("model", PASTED));
  said.textContent = found.left.length ? `Read. Not understood, and not used: ${found.left.join(", ")}.` : "Read.";
}
