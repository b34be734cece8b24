// Renders the document of P8 for the seconds that are asked for, in this process alone; prints documents a second.
import { setImmediate } from "node:timers/promises";
import { defaultPage } from "../../services/docgen/domain/page.ts";
import { createRender } from "../../services/docgen/renderer/render.ts";
import { contractContent, contractData } from "../measures/generation-document.ts";

const seconds = Number(process.argv[2]);
const render = createRender();
await renderFor(1);
process.stdout.write(`${await renderFor(seconds)}\n`);

async function renderFor(time: number): Promise<number> {
  const start = performance.now();
  let documents = 0;
  while (performance.now() - start < time * 1000) {
    renderOne(documents);
    documents += 1;
    // Lets the compiler free what it made.
    await setImmediate();
  }
  return documents / ((performance.now() - start) / 1000);
}

function renderOne(number: number): void {
  const { pages } = render({
    content: {
      kind: "template",
      template: { format: "html", content: contractContent },
      data: contractData(number),
      timeZone: "UTC",
    },
    title: "Service agreement",
    page: defaultPage,
    locale: "en",
    profile: "pdf",
    createdAt: new Date(),
    images: new Map(),
    attachments: [],
  });
  if (pages !== 1) throw new Error(`the document has ${pages} pages`);
}
