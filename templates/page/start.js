// The page as a whole: one state, drawn again after every change; what takes longer waits for the next frame.
const page = {cards: DATA.cards};
let lastValues = new Float64Array(0);
let pending = 0,
  waiting = 0;
const PAUSE_MS = 80;

// The job that the address names, else the first; a page of one scenario has only one.
function start() {
  const asked = new URLSearchParams(location.hash.slice(1)).get("job"),
    {scenarios} = DATA;
  begin(scenarios.find(one => one.workload === asked) ?? scenarios[0]);
  byId("live").hidden = false;
  byId("built")?.removeAttribute("open");
}

function begin(scenario) {
  page.engine = new Engine(scenario.workload);
  page.state = new State(page.engine, scenario);
  buildInputs(page.state);
  buildPasted(page.state);
  buildStart(page.state);
  buildJob(scenario);
  buildButtons(page.state);
  buildFind(page.engine);
  buildMap(page.state);
  page.ghosts = ghostsOf(page.engine, scenario);
  const left = page.state.read(location.hash.slice(1));
  show();
  if (left.length)
    byId("faults").prepend(element("p", {class: "tight"}, `! Left out of the address: ${left.join(", ")}.`));
}

// Training or serving, where a page has both.
function buildJob(scenario) {
  if (DATA.scenarios.length < 2) return;
  const select = element("select", {
    id: "job",
    onchange: () => {
      location.replace(`#job=${select.value}`);
      begin(DATA.scenarios[select.selectedIndex]);
    },
  });
  for (const one of DATA.scenarios) select.append(element("option", {value: one.workload}, one.workload));
  select.value = scenario.workload;
  fill(
    byId("start-from"),
    element(
      "div",
      {class: "input"},
      element("label", {for: "job"}, "What is planned"),
      element("span", {class: "control"}, select),
    ),
  );
}

// Make a change, show what comes of it, keep it in the address.
function change(make) {
  make();
  show();
}

function show() {
  drawNow();
  // Until they are computed again, changes that would make the last job fit are not to be pressed.
  byId("fitting").inert = true;
  if (!pending) pending = requestAnimationFrame(showLater);
}

function drawNow() {
  const {engine, state} = page,
    job = (page.job = state.job()),
    values = (lastValues = page.values = engine.compute(job));
  const faults = [...state.faults, ...engine.broken(values)];
  for (const control of controls) control(job);
  document.querySelector(".as-built")?.classList.toggle("old", state.isChanged || state.start !== state.first);
  showFaults(engine, faults);
  showNow(engine, values, faults);
  showMemory(engine, values, page.ghosts);
  showNumbers(engine, values);
  showStep(engine, values);
  showSeconds(engine, values);
}

function showLater() {
  pending = 0;
  drawMap(page.state);
  clearTimeout(waiting);
  waiting = setTimeout(showLast, PAUSE_MS);
}

// What takes many jobs to compute follows when a slider rests, and so does the address, which takes a browser long.
function showLast() {
  if (location.hash.slice(1) !== page.state.address) location.replace(`#${(page.written = page.state.address)}`);
  showFitting(page.state, page.values);
  byId("fitting").inert = false;
  showHardware(page.state);
}

addEventListener("hashchange", () => {
  if (location.hash.slice(1) === page.written || pending) return;
  const asked = new URLSearchParams(location.hash.slice(1)).get("job");
  if (asked && asked !== page.engine.workload) {
    start();
    return;
  }
  page.state.read(location.hash.slice(1));
  show();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => page.state && drawMap(page.state));
addEventListener("resize", () => {
  if (page.state && !pending) pending = requestAnimationFrame(showLater);
});
document.addEventListener("keydown", event => {
  if (
    (event.ctrlKey || event.metaKey) &&
    event.key === "z" &&
    !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)
  ) {
    event.preventDefault();
    change(() => page.state.undo());
  }
});

start();
globalThis.memreport = page;
