// `npm run docs`: writes docs/configuration.md from the settings that the programs read. A test fails when it is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "#platform/config.ts";
import { launcherSettings } from "./launch-settings.ts";
import { settingsOfPrograms } from "./programs.ts";

export const configurationFile = join(import.meta.dirname, "../docs/configuration.md");

const introduction = `# Configuration

Every process reads environment variables when it starts and at no other time. A value that is missing or malformed stops the start, with all problems listed at once. For every variable NAME, NAME_FILE may name a file that holds the value, as mounted secrets do; an empty variable counts as not set.

This page is written from the code by \`npm run docs\`, and a test compares the two.

## \`npm start\` and \`npm run start:distributed\`

Both give every process the settings below that are set, and have defaults for those that are required: keys and a test certificate in the data folder. They decide themselves where their processes find each other (\`*_TARGET\`, and what the gRPC and admin ports are). A variable that is set but that nothing reads is named on start, when its name is one of these settings or looks like one: nearly the same, or with the first word of one. What these two read beside it, or with another default:

| variable | default | what it does |
|---|---|---|
${Object.entries(launcherSettings)
  .map(([name, { byDefault, doc }]) => `| \`${name}\` | ${byDefault} | ${doc} |`)
  .join("\n")}

\`npm run migrate\` reads \`DATABASE_URL\` (required: the owner of the database, who may create roles), \`SERVICE_LOGIN\` (a login that exists, or a role that it is a member of, which may take on the roles of the services afterwards, for their own \`DATABASE_URL\`; empty: they connect as the owner) and \`LOG_LEVEL\`. \`npm run admin\` reads \`ASSENT_ADMIN_URL\`, \`ASSENT_CLICK_ADMIN_URL\`, \`ASSENT_SIGN_ADMIN_URL\` and \`ASSENT_WEBHOOKS_ADMIN_URL\` (for \`evidence-keys\`, \`evidence-logs\`, \`dead-events\` and \`master-keys\`, when these services have admin ports of their own) and \`ASSENT_ADMIN_TOKEN\`, or finds the running copy of \`ASSENT_HOME\`. \`npm run doctor\` reads what the processes read, and looks at where it leads; without \`DATABASE_URL\` it finds the running copy as well.
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
