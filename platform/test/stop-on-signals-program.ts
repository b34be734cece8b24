// Started by service.test.ts as a process of its own: reports what stopOnSignals does to it.
import { createLogger } from "../logger.ts";
import { stopOnSignals } from "../service.ts";

const outcome = process.argv[2];
const idle = setInterval(() => {}, 1000);

stopOnSignals(
  async () => {
    process.stdout.write("stop\n");
    // Long enough for the second signal to arrive.
    await new Promise((resolve) => setTimeout(resolve, 200));
    clearInterval(idle);
    if (outcome === "fails") throw new Error("cannot stop");
  },
  createLogger("test", "silent"),
);
process.stdout.write("ready\n");
