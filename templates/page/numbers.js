// Quantities as people write and read them.  Units and scales are data of the page; the rules are those of
// catalogue/quantities.py, and a test compares both on many numbers.
const DATA = JSON.parse(document.getElementById("data").content.textContent);
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
  const other = Object.keys(names).find(one => one.toLowerCase() === name.toLowerCase());
  const message = other
    ? `units are case-sensitive: '${match[2]}' is written '${other}'`
    : `'${match[2]}' is no known unit of ${unit}`;
  return {message, allowed};
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
  if (isExtreme(size) || (isMoney(scale) && (!size || (1 <= size && size < 1e5)))) return 2;
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
const inGib = value => trueMinus(display(value / GIB, "GiB"));
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

// A value as reports show it: memory in GiB, never in TiB.
function shown(value, unit) {
  return unit === "byte" && Math.abs(value) >= 1024 * GIB ? inGib(value) : trueMinus(display(value, unit));
}
