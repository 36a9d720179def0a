// A pasted config.json.  How each model type is read is data, and what its code adds are rules, of catalogue/huggingface;
// what is read otherwise is refused, with the command that reads it.
const PASTED = "pasted",
  OTHERWISE = "memreport page --model config.json reads what this box does not";
const isOn = value =>
  value !== null &&
  value !== undefined &&
  value !== false &&
  !(typeof value === "object" && Object.values(value).every(one => one === "full_attention"));

// What a key holds, or behind a dot a key of its block.
function valueAt(config, key) {
  const [name, inner] = key.split(".");
  return inner ? config[name]?.[inner] : config[name];
}

// Of names that follow each other after bars the first that the file has.
function presentKey(names, config) {
  const every = names.split("|");
  return every.find(one => one in config || isOn(valueAt(config, one))) ?? every[0];
}

// Reads keys of a configuration as Reader of catalogue/huggingface does: what is wrong is collected, what was seen too.
function configReader(config, usual) {
  const wrong = [],
    seen = new Set();
  const given = (names, missing) => {
    const key = presentKey(names, config);
    const left = key in config ? undefined : names.split("|").find(one => Object.hasOwn(usual, one));
    const value = valueAt(config, key) ?? (left && usual[left]);
    seen.add(key.split(".")[0]);
    if (value === undefined && missing === undefined) wrong.push(`${key} is required for this model type`);
    return value ?? missing;
  };
  const whole = (key, missing, least = 0) => {
    let found = given(key, missing);
    if (Array.isArray(found) && found.length && found.every(one => typeof one === "string")) found = found.length;
    const value = Array.isArray(found) && found.length > 1 && found.every(one => one === found[0]) ? found[0] : found;
    if (Number.isSafeInteger(value) && value >= least) return value;
    const below = least ? ` of at least ${least}` : Number.isSafeInteger(value) ? " that is not negative" : "";
    if (value !== undefined) wrong.push(`${key} must be a whole number${below}`);
    return 1;
  };
  const flag = (key, missing) => {
    const value = given(key, missing);
    if (typeof value !== "boolean") wrong.push(`${key} must be true or false`);
    return value === true;
  };
  const listed = (key, kind) => {
    const found = given(key, []),
      value = kind === "string" && typeof found === "string" ? [...found] : found;
    if (Array.isArray(value) && value.every(one => typeof one === kind)) return value;
    wrong.push(`${key} must be a list of ${kind}s`);
    return [];
  };
  const counted = (key, word, otherwise) => {
    const kinds = listed(key, typeof word);
    return valueAt(config, key) !== null && valueAt(config, key) !== undefined ? kinds.filter(one => one === word).length : otherwise;
  };
  const atStep = (key, step, layers) =>
    new Set(listed(key, "number").filter(one => one >= 0 && one < layers && (one + 1) % step === 0)).size;
  const behind = (key, word, other) => {
    const kinds = listed(key, "string"), first = kinds.indexOf(other);
    return first < 0 ? 0 : kinds.slice(first).filter(one => one === word).length;
  };
  const firstFree = (key, step, layers) => {
    const taken = new Set(listed(key, "number"));
    let at = step - 1;
    while (taken.has(at)) at += step;
    return Math.min(at, layers);
  };
  const inside = (key, path) => {
    const entries = valueAt(config, key),
      [outer, inner] = path.split(".");
    seen.add(key);
    const listed = Array.isArray(entries) && entries.every(one => one && typeof one === "object");
    if (listed && entries.length === config.num_hidden_layers) return entries.map(one => one[outer]?.[inner]);
    wrong.push(`${key} must be a list of objects, one for each layer`);
    return [];
  };
  const switched = (key, path) => inside(key, path).filter(one => one === true).length;
  const summed = (key, path, scale = 1, step = 1) =>
    inside(key, path).reduce((sum, one) => sum + (typeof one === "number" ? Math.ceil(Math.trunc(scale * one) / step) * step : 0), 0);
  const must = (key, expected, message) => {
    if (given(key, expected) !== expected) wrong.push(`${key}: ${message}`);
  };
  return {wrong, seen, whole, flag, counted, atStep, behind, firstFree, switched, summed, must};
}

// The language model of a configuration of several parts, or the whole.
function languagePart(config) {
  const part = DATA.configs.inside.map(name => config[name]).find(one => one && typeof one === "object");
  const outer = "tie_word_embeddings" in config ? {tie_word_embeddings: config.tie_word_embeddings} : {};
  if (!part) return config;
  const kind = DATA.configs.textOf[config.model_type];
  if (kind && !part.model_type) outer.model_type = kind;
  return String(config.transformers_version).startsWith("5.") ? {...part, ...outer} : {...outer, ...part};
}

// The fields of a model card, or a text that says what is wrong.
function pastedFields(text) {
  const whole = parsedJson(text),
    {families, plainest, sameAs} = DATA.configs;
  if (whole === null || typeof whole !== "object" || Array.isArray(whole)) return "is no JSON object";
  const inner = whole[DATA.configs.wrapped] ?? whole,
    config = languagePart(inner),
    type = sameAs[config.model_type] ?? config.model_type,
    family = Object.hasOwn(families, type) ? {...plainest, ...families[type]} : undefined;
  if (!family)
    return `model_type ${config.model_type} is not known here${unknownType(String(config.model_type))}`;
  const published = publishedFormat(whole.quantization_config ?? config.quantization_config, config.expert_dtype);
  if (published === undefined)
    return `quantization_config is not read here; ${OTHERWISE}`;
  const usual = config === inner ? {} : usualOf(config.model_type),
    reader = configReader(config, usual),
    fields = cardFields(config, type, family, reader);
  if (reader.wrong.length) return [...new Set(reader.wrong)].join("; ");
  const passed = [...DATA.configs.passedOver, ...DATA.configs.activationKeys];
  const left = Object.keys(config).filter(key => !reader.seen.has(key) && !passed.includes(key) && isOn(config[key]));
  const title = typeof whole._name_or_path === "string" ? whole._name_or_path.slice(0, 80) : "";
  return {fields, left, title, published, note: (config === whole && !DATA.configs.towered.includes(type) ? "" : " Only the language model is counted.") + family.doubt};
}

// What the class of a part takes where the file leaves a key out: values of the common fields, then others by name.
function usualOf(type) {
  const {usual, common} = DATA.configs,
    [values, others] = Object.hasOwn(usual, type) ? usual[type] : [[], {}];
  return {...Object.fromEntries(values.map((value, at) => [common[at], value]).filter(([, value]) => value !== null)), ...others};
}

// The format of the published weights by method and bits; empty where they are not quantised or nobody knows how.
function publishedFormat(block, experts) {
  if (block === null || typeof block !== "object") return "";
  const method = String(block.quant_method),
    {byBits, byRules, byExperts} = DATA.configs.formats;
  if (byRules.includes(method)) return undefined;
  const plain = Object.hasOwn(byBits, method) ? byBits[method] : {},
    bits = String(block.bits ?? block.w_bit ?? 4);
  const found = plain[""] ?? (Object.hasOwn(plain, bits) ? plain[bits] : "");
  return byExperts[experts]?.[found] ?? found;
}

function unknownType(type) {
  const near = nearest(type.slice(0, 60), [...Object.keys(DATA.configs.families), ...Object.keys(DATA.configs.sameAs)]);
  return `${didYouMean(near)}; ${OTHERWISE}`;
}

// What the file says, then what its modelling code adds; what only repeats a default is left out.
function cardFields(config, type, family, reader) {
  const fields = {};
  const keyOf = name => presentKey(family.names[name] ?? name, config);
  for (const name of DATA.configs.common) {
    if (family.names[name] !== "") fields[name] = reader.whole(keyOf(name), WHERE_MISSING[name]?.(fields));
  }
  fields.tie_word_embeddings = reader.flag("tie_word_embeddings", family.tied);
  for (const [name, [key, missing]] of Object.entries(family.flags)) fields[name] = reader.flag(key, missing);
  family.passed.split(" ").forEach(key => reader.seen.add(key));
  for (const [name, key] of Object.entries(family.copied)) fields[name] = reader.whole(key);
  const activation = activationOf(config, family);
  if (DATA.configs.activations.includes(activation)) fields.hidden_act = activation;
  Object.assign(fields, family.constants, Object.hasOwn(FAMILY_RULES, type) ? FAMILY_RULES[type](fields, reader) : {});
  for (const [name, missing] of Object.entries(DATA.defaults)) {
    if (typeof missing === "boolean" && name in fields) fields[name] = Boolean(fields[name]);
    if (fields[name] === missing && name !== "tie_word_embeddings") delete fields[name];
  }
  return fields;
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
  const values = {...DATA.defaults, ...found.fields, ...(found.published ? {weight_dtype: found.published} : {})};
  DATA.cards.rows[PASTED] = [
    found.title || "pasted config.json",
    ...DATA.cards.fields.map(name => (typeof values[name] === "boolean" ? +values[name] : values[name])),
  ];
  DATA.cards.pasted = found.fields;
  for (const select of document.querySelectorAll("[id$='-model']"))
    if (select.tagName === "SELECT" && select.lastElementChild.value !== PASTED)
      select.append(element("option", {value: PASTED}, PASTED));
  change(() => state.set("model", PASTED));
  const left = found.left.length ? ` Not understood, and not used: ${found.left.join(", ")}.` : "";
  said.textContent = `Read.${found.note}${left}`;
}
