// `npm run docs`: writes docs/configuration.md from the settings that the programs read. A test fails when it is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "#platform/config.ts";
import { settings as gateway } from "../gateway/config.ts";
import { settings as auth } from "../services/auth/config.ts";
import { settings as click } from "../services/click/config.ts";
import { settings as docgen } from "../services/docgen/config.ts";
import { settings as sign } from "../services/sign/config.ts";
import { settings as templates } from "../services/templates/config.ts";
import { settings as webhooks } from "../services/webhooks/config.ts";

export const configurationFile = join(import.meta.dirname, "../docs/configuration.md");

/** Every process of an installation, by the name of its folder. */
export const settingsOfPrograms: ReadonlyArray<{
  readonly title: string;
  readonly entry: string;
  readonly settings: Settings;
}> = [
  { title: "gateway", entry: "gateway/main.ts", settings: gateway },
  { title: "auth", entry: "services/auth/main.ts", settings: auth },
  { title: "templates", entry: "services/templates/main.ts", settings: templates },
  { title: "docgen", entry: "services/docgen/main.ts", settings: docgen },
  { title: "click", entry: "services/click/main.ts", settings: click },
  { title: "sign", entry: "services/sign/main.ts", settings: sign },
  { title: "webhooks", entry: "services/webhooks/main.ts", settings: webhooks },
];

const introduction = `# Configuration

Every process reads environment variables when it starts and at no other time. A value that is missing or malformed stops the start, with all problems listed at once. For every variable NAME, NAME_FILE may name a file that holds the value, as mounted secrets do; an empty variable counts as not set.

This page is written from the code by \`npm run docs\`, and a test compares the two.

## \`npm start\` and \`npm run start:distributed\`

| variable | default | what it does |
|---|---|---|
| \`PORT\` | 8080, or a free one when it is taken | The port of the API; 0 takes a free one. |
| \`ASSENT_HOME\` | \`.assent\` | The data folder: database, keys, logs, \`demo.json\`. Without its \`secrets.json\` the database is of no use. |
| \`DATABASE_URL\` | an embedded Postgres in the data folder | A database to use instead, with a login that owns it and may create roles. |
| \`NATS_URL\` | in memory; \`start:distributed\` starts nats-server | NATS servers to use instead. |
| \`LOG_LEVEL\` | \`warn\` | trace, debug, info, warn, error or silent. |
| \`SMTP_URL\`, \`MAIL_FROM\`, \`PUBLIC_URL\` | empty | A mail server, as for the sign service below ([mails](mail.md)). Without it \`npm start\` keeps mails in a mailbox at /mailbox, and \`start:distributed\` sends none. |

\`npm run migrate\` reads \`DATABASE_URL\` (required: the owner of the database, who may create roles), \`SERVICE_LOGIN\` (a login that exists, or a role that it is a member of, which may take on the roles of the services afterwards, for their own \`DATABASE_URL\`; empty: they connect as the owner) and \`LOG_LEVEL\`. \`npm run admin\` reads \`ASSENT_ADMIN_URL\`, \`ASSENT_CLICK_ADMIN_URL\` and \`ASSENT_WEBHOOKS_ADMIN_URL\` (for \`evidence-keys\` and \`dead-events\`, when these services have admin ports of their own) and \`ASSENT_ADMIN_TOKEN\`, or finds the running copy of \`ASSENT_HOME\`. \`npm run doctor\` reads what the processes read, and looks at where it leads.
`;

/** The whole page. */
export const configurationPage = (): string =>
  [introduction, ...settingsOfPrograms.map((program) => section(program.title, program.entry, program.settings))].join(
    "\n",
  );

function section(title: string, entry: string, settings: Settings): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const secret = setting.secret ? " Secret." : "";
    return `| \`${name}\` | ${fallbackText(setting.fallback)} | ${setting.doc.replaceAll("|", "\\|")}${secret} |`;
  });
  return `## ${title} (\`node ${entry}\`)\n\n| variable | default | what it does |\n|---|---|---|\n${rows.join("\n")}\n`;
}

function fallbackText(fallback: unknown): string {
  if (fallback === undefined) return "required";
  if (fallback === "" || (Array.isArray(fallback) && fallback.length === 0)) return "empty";
  return `\`${String(fallback)}\``;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(configurationFile, configurationPage());
  process.stdout.write(`written: ${readFileSync(configurationFile, "utf8").split("\n").length} lines\n`);
}
