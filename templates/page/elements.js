// Elements whose texts are texts: nothing of a scenario is ever read as markup.
const SVG = "http://www.w3.org/2000/svg";
const byId = id => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  return dressed(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes = {}, ...children) {
  return dressed(document.createElementNS(SVG, tag), attributes, children);
}

function dressed(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined) node.setAttribute(name, value);
  }
  const said = children.filter(one => one !== undefined && one !== null && one !== "");
  node.append(...(node.localName === "option" ? said : said.map(tied))); // an option's text may be its value
  return node;
}

// A text in which no line ends between a number and its unit.
function tied(child) {
  return typeof child === "string" ? child.replace(new RegExp(DATA.tied, "g"), "\u00a0") : child;
}

// A figure that opens its derivation.
function figureButton(name, text) {
  return element(
    "button",
    {type: "button", class: "figure", title: "How it is computed", onclick: () => openDerivation(name)},
    text,
  );
}

function fill(node, ...children) {
  node.replaceChildren(...children.filter(Boolean).map(tied));
}

const COLOURS = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];
const WORD_CLASS = ["no", "queues", "tight", "yes"];
const wordOf = number => DATA.words[number - 1];
const markOf = number => DATA.marks[number - 1];
