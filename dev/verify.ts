// `npm run -s verify -- bundle.json --keys keys.json`: checks an evidence bundle, offline.
import { nodeTerminal, runVerifier } from "../web/verify/src/cli.ts";

// npm runs scripts in the folder of the package; paths are meant from where it was called.
if (process.env.INIT_CWD !== undefined) process.chdir(process.env.INIT_CWD);
process.exitCode = await runVerifier(process.argv.slice(2), nodeTerminal(process));
