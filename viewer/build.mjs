// Makes viewer.html, the page without a run, from src/. `npm ci && npm run build`; the result is committed beside
// the crate that takes it, so that cargo needs no Node. The same sources and versions give the same bytes.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";

const here = new URL(".", import.meta.url).pathname;
const bundle = async (entry) => {
  const result = await build({
    entryPoints: [here + "src/" + entry],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    // Licences of what is bundled stay in the page.
    legalComments: "inline",
    write: false,
  });
  // A closing tag in a string would end the script that holds it.
  return result.outputFiles[0].text.replaceAll("</script", "<\\/script").trimEnd();
};
const [script, style, page] = await Promise.all([
  bundle("main.js"),
  bundle("style.css"),
  readFile(here + "src/index.html", "utf8"),
]);
const html = page.replace("/* style */", () => style).replace("/* script */", () => script);
await writeFile(process.argv[2] ?? here + "../crates/signorini-runs/viewer/viewer.html", html);
