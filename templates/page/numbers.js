// Quantities as people write and read them.  Units and scales are data of the page; the rules are those of
// catalogue/quantities.py, and a test compares both on many numbers.
const GIB = 2 ** 30;
const QUANTITY = /^([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)[ \u00a0\u202f]*(?![0-9.,_'])(.*)$/;

// A number in base units, or {message, allowed} that say what is wrong.
function parseQuantity(text, unit) {
  const names = DATA.numbers.units[unit] ?? {[unit]: 1},
    allowed = ["a bare number", ...Object.keys(names)].join(", ");
  const match = QUANTITY.exec(text.trim());
  if (!match || match[1].length > DATA.numbers.digits || !Number.isFinite(+match[1]))
    return {message: numberFault(text), allowed};
  if (!match[2]) return +match[1];
  const name = DATA.numbers.aliases[match[2]] ?? match[2];
  if (Object.hasOwn(names, name)) return +match[1] * names[name];
  return {...unitFault(match[2], unit, Object.keys(names)), allowed};
}

// What is wrong with the name of a unit where another one is wanted, and the nearest that is allowed.
function unitFault(name, unit, allowed) {
  const {units, aliases, scaleWords, bits} = DATA.numbers;
  const other = allowed.find(one => one.toLowerCase() === name.toLowerCase()),
    near = other ?? nearest(name, allowed, true);
  if (scaleWords.includes(name)) return {message: `'${name}' is no unit; write the number out, such as 4096 or 12e9`};
  if (new RegExp(`^${bits}$`).test(name) && unit.startsWith("byte")) {
    const or = allowed.includes("Gbit/s") ? " or bit for bits" : "";
    return {message: `'${name}' means bits, an eighth of as many bytes; write B for bytes${or}`, near};
  }
  if (other) return {message: `units are case-sensitive: '${name}' is written '${other}'`, near};
  const measured = Object.keys(units).find(one => Object.hasOwn(units[one], aliases[name] ?? name));
  if (measured) return {message: `'${name}' measures ${measured}, but ${unit === "1" ? "a number without a unit" : unit} is wanted`, near};
  return {message: `'${name}' is no known unit of ${unit}`, near};
}

const didYouMean = near => (near ? `; did you mean ${near.split(" or ").map(one => `'${one}'`).join(" or ")}?` : "");

// The allowed name that a word most resembles, or up to three that begin with it, as the loader finds them.
function nearest(word, allowed, cased) {
  const fold = text => (cased ? text : text.toLowerCase()),
    wanted = fold(word);
  const folded = new Map([...allowed].map(name => [fold(name), name]));
  const longer = [...folded.keys()]
    .filter(name => wanted && name.startsWith(wanted))
    .sort((a, b) => [...a].length - [...b].length);
  if (longer.length && "-_.".includes(longer[0].slice(wanted.length)[0] ?? " "))
    return longer.slice(0, 3).map(name => folded.get(name)).join(" or ");
  let best = longer[0],
    most = 0;
  if (!best)
    for (const name of folded.keys()) {
      const share = likeness(name, wanted);
      if (share < (name[0] === wanted[0] ? 0.51 : 0.6)) continue;
      if (share > most || (share === most && (best === undefined || name > best))) [best, most] = [name, share];
    }
  return best === undefined ? "" : folded.get(best);
}

// How much of two texts is the same: twice what matching blocks hold, the longest first, over both lengths.
function likeness(first, second) {
  const blocks = (a, b) => {
    let [size, left, right] = [0, 0, 0];
    for (let i = 0; i < a.length; i++)
      for (let j = 0; j < b.length; j++) {
        let length = 0;
        while (i + length < a.length && j + length < b.length && a[i + length] === b[j + length]) length++;
        if (length > size) [size, left, right] = [length, i, j];
      }
    if (!size) return 0;
    return (
      size +
      blocks(a.slice(0, left), b.slice(0, right)) +
      blocks(a.slice(left + size), b.slice(right + size))
    );
  };
  const [a, b] = [[...first], [...second].slice(0, 200)];
  return (2 * blocks(a.slice(0, 200), b)) / (a.length + b.length || 1);
}

function numberFault(text) {
  if (text.includes("$")) return "money is written as 3.43 USD or 3.43 USD/h";
  if (/[0-9][,_'][0-9]/.test(text)) return "a number has a decimal point and no thousands separators, such as 1240.5";
  return "does not begin with a finite number";
}

// Three or four digits, in the scale that fits.
function display(value, unit) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "n/a" : (value < 0 ? "-" : "") + "unlimited";
  const scale = fitting(+value.toPrecision(15), ladderOf(unit)),
    size = value / scale[1];
  return written(size, scale, decimals(size, scale));
}

// Three significant digits, as people read them; an end of a range in the scale of the value that it is beside.
function brief(value, unit, beside = value) {
  if (!Number.isFinite(value) || value === 0) return display(value, unit);
  const scale = fitting(+beside.toPrecision(15), ladderOf(unit)),
    size = +(value / scale[1]).toPrecision(15);
  if (isExtreme(size) || (["1", "token"].includes(unit) && Number.isInteger(size))) return display(value, unit);
  const [digits, power] = threeDigits(size),
    behind = digits.replace(/^[^.]*\.?/, "").replace(/0+$/, "");
  const places = Math.max(0, behind.length - power);
  return written(
    Math.sign(size) * +`${digits}e${power}`,
    scale,
    isMoney(scale) && (places || Math.abs(size) < 99.95) ? Math.max(places, 2) : places,
  );
}

// Three digits and a power of ten; a half is rounded to the even digit, as decimals are.
function threeDigits(size) {
  const [digits, power] = Math.abs(size).toExponential(14).split("e"),
    whole = +digits.replace(".", ""),
    part = whole % 1e12;
  const kept = Math.floor(whole / 1e12),
    up = part > 5e11 || (part === 5e11 && kept % 2);
  const [three, shift] = kept + up > 999 ? [100, 1] : [kept + up, 0];
  return [`${String(three)[0]}.${String(three).slice(1)}`, +power + shift];
}

const ladderOf = unit => DATA.numbers.ladders[unit] ?? [[1, 1, `{} ${unit}`]];
const isMoney = scale => scale[2].startsWith("$");
const isExtreme = size => size !== 0 && !(1e-6 <= Math.abs(size) && Math.abs(size) < 1e15);

function fitting(amount, ladder) {
  let reached = 0;
  ladder.forEach((scale, at) => {
    if (Math.abs(amount) >= scale[0]) reached = at;
  });
  const scale = ladder[reached],
    size = Math.abs(amount / scale[1]),
    above = ladder[reached + 1];
  if (!above || isExtreme(size)) return scale;
  return Number(rounded(size, decimals(size, scale))) * scale[1] >= above[0] ? above : scale;
}

function decimals(size, scale) {
  const most = mostDecimals(Math.abs(size), scale);
  if (isExtreme(size)) return most;
  for (let places = isMoney(scale) ? Math.min(most, 2) : 0; places < most; places++)
    if (+rounded(size, places) === +Math.abs(size).toPrecision(15)) return places;
  return most;
}

function mostDecimals(size, scale) {
  if (isExtreme(size) || (isMoney(scale) && (!size || (1 <= size && size < 1000)))) return 2;
  const [digits, power] = threeDigits(size);
  if (+digits > 0 && power < 0) return 2 - power;
  return +rounded(size, 2) < 10 ? 2 : +rounded(size, 1) < 1000 ? 1 : 0;
}

// The absolute value with so many decimals as plain text; halves are rounded up, in the 15 digits that count.
function rounded(size, places) {
  const [digits, power] = Math.abs(size).toExponential(14).split("e"),
    shift = power - 14 + places;
  const whole = BigInt(digits.replace(".", "")),
    ten = 10n ** BigInt(Math.abs(shift));
  const text = String(shift >= 0 ? whole * ten : (whole + ten / 2n) / ten).padStart(places + 1, "0");
  return places ? `${text.slice(0, -places)}.${text.slice(-places)}` : text;
}

function written(size, scale, places) {
  let text;
  if (isExtreme(size)) text = Math.abs(size).toExponential(places);
  else {
    const [whole, part] = rounded(size, places).split(".");
    text = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? `.${part}` : "");
  }
  return (size < 0 ? "-" : "") + scale[2].split("{}").join(text);
}

const trueMinus = text => (text.startsWith("-") ? "−" + text.slice(1) : text);
const inGib = value => trueMinus(brief(value / GIB, "GiB"));
const grouped = value => rounded(value, 0).replace(/\B(?=(\d{3})+$)/g, ",");

// Two sizes that read different where they are.
function pairInGib(first, second) {
  const alone = [inGib(first), inGib(second)];
  if (first === second || ![first, second].every(Number.isFinite) || alone[0] !== alone[1]) return alone;
  const sizes = [first / GIB, second / GIB],
    scale = ladderOf("GiB")[0];
  for (let places = Math.max(...sizes.map(size => decimals(size, scale))); places < 25; places++) {
    const texts = sizes.map(size => trueMinus(written(size, scale, places)));
    if (texts[0] !== texts[1]) return texts;
  }
  return alone;
}

// The same in three digits, where these tell them apart.
function briefPair(first, second) {
  const [one, other] = [first, second].map(value => trueMinus(brief(value / GIB, "GiB")));
  return one === other ? pairInGib(first, second) : [one, other];
}

// A value as reports show it: memory in GiB, never in TiB.
function shown(value, unit) {
  return unit === "byte" && Math.abs(value) >= 1024 * GIB ? inGib(value) : trueMinus(display(value, unit));
}
