([seed, random, every]) => {
  const wait = node => node.dispatchEvent(new Event("change", {bubbles: true}));
  let drawn = seed;
  const next = most => (drawn = (drawn * 1103515245 + 12345) % 2147483648, Math.floor(drawn / 2147483648 * most));
  const button = text => [...document.querySelectorAll("#buttons button")].find(one => one.textContent === text);
  const controls = [...document.querySelectorAll(["select", "input[type=text]", "input[type=checkbox]"].map(one => `#inputs .input ${one}`).join())].filter(one => one.id !== "start");
  const said = x => Number.isFinite(x) ? x : String(x), found = [];
  const kept = () => {
    button("Copy as YAML").click();
    const {engine, state} = memreport, values = engine.compute(state.job());
    const rows = [...engine.data.figures].map(([name]) => said(engine.value(values, name)));
    const wrong = document.querySelectorAll("#faults .no").length;
    found.push({yaml: document.querySelector("textarea").value, wrong, rows});
  };
  const edit = control => {
    if (control.type === "checkbox") control.checked = !control.checked;
    else if (control.tagName === "SELECT") control.selectedIndex = next(control.options.length);
    else control.value = String(Math.ceil((+control.value || 1) * [2, 1 / 2, 1, 3 / 2][next(4)]));
    wait(control);
    return control.getAttribute("aria-invalid") !== "true";
  };
  for (let at = 0; at < random; at++) {
    if (at % 4 === 0) button("Reset").click();
    if (edit(controls[next(controls.length)])) kept();
  }
  const asked = one => every === true || (every && every.some(name => one.id.endsWith(name)));
  const selects = controls.filter(one => one.tagName === "SELECT" && asked(one));
  for (const select of selects) for (let at = 0; at < select.options.length; at++) {
    button("Reset").click();
    select.selectedIndex = at;
    wait(select);
    kept();
  }
  return JSON.stringify({names: memreport.engine.data.figures.map(one => one[0]), found});
}
