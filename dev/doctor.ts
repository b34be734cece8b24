// `npm run doctor -- [process …] [--json]`: checks the settings of an installation and what they lead to.
import { runDoctor } from "./doctor/run.ts";

process.exitCode = await runDoctor(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
