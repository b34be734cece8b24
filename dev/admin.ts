// `npm run admin -- <command> … [--json]`: manages organizations, keys and clients of a running copy.
import { runAdmin } from "./admin/run.ts";

process.exitCode = await runAdmin(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
