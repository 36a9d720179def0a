// What the page is made of travels deflated: its data, and the script that reads them, which the page's policy knows by
// its hash.
(() => {
  "use strict";

  async function inflated(text) {
    const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  }

  async function start() {
    const {script, ...data} = JSON.parse(await inflated(document.getElementById("data").content.textContent)),
      element = document.createElement("script");
    globalThis.memreport = {data, stopped};
    element.textContent = script;
    document.head.append(element);
    element.remove();
  }

  function stopped(error) {
    const place = document.getElementById("stopped");
    place.hidden = false;
    place.textContent = `This page could not start (${error.message}): what stands below is as built. It needs a browser of 2023 or later.`;
    throw error;
  }

  start().catch(stopped);
})();
