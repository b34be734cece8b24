// Renders what it is told to, so that tests can see what is left when it is killed.
import { createLogger } from "#platform/logger.ts";
import { createRenderer } from "../renderer.ts";
import { htmlJob } from "./jobs.ts";

const entry = new URL("./renderer-program.ts", import.meta.url);
const renderer = createRenderer({ logger: createLogger("test", "silent"), size: 1, entry });
const { pdf } = await renderer.render(htmlJob("pid"));
process.stdout.write(`${Buffer.from(pdf).toString()}\n`);
await renderer.render(htmlJob("spin"));
