// `npm run docs`: writes the list of types in docs/events.md from the catalogue. A test fails when it is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { auditActions, auditSubject } from "../api/audit-actions.ts";
import { connectEventsOf, eventSources } from "../services/webhooks/domain/event-types.ts";
import { testEventSubject } from "../services/webhooks/domain/event-types-others.ts";
import type { EventTypeInfo } from "../services/webhooks/domain/problems.ts";

export const eventsFile = join(import.meta.dirname, "../docs/events.md");

const heading = "## Event types\n";

const introduction = `
[Webhooks](webhooks.md) can deliver these events. A type is the subject without \`assent.\` and the name of the service; types of the click and templates services begin with \`click.\`, and types of the audit trail are the same as on the bus. The last column has the name of the event in the messages of the [compatible interface](migrating-from-docusign.md), if it exists there. \`document.completed\` is sent for generated and for signed documents: both have \`data.document.id\`, and signed ones have \`data.document.agreementId\`.

\`GET /v1/webhooks/event-types\` lists the types with an example of each. \`npm run docs\` generates this list from the same catalogue, and a test compares the two.
`;

/** The page with the lists as they have to be; they are its last part. */
export function eventsPage(page: string): string {
  const start = page.indexOf(heading);
  if (start < 0) throw new Error(`docs/events.md has no heading '${heading.trim()}'`);
  return page.slice(0, start) + heading + introduction + table + actions;
}

const rowOf = ({ type, subject, description, example }: EventTypeInfo): string => {
  const bus = subject === testEventSubject ? "–" : `\`${subject}\``;
  const connect = connectEventsOf(subject).map((name) => `\`${name}\``);
  const data = Object.keys(example).map((name) => `\`${name}\``);
  return `| \`${type}\` | ${bus} | ${description} | ${data.join(", ")} | ${connect.length === 0 ? "–" : connect.join(", ")} |`;
};

const table = `
| type | on the bus | what happened | \`data\` has | compatible |
| ---- | ---------- | ------------- | ------------ | ---------- |
${eventSources.map(rowOf).join("\n")}
`;

const actions = `
## Actions of the audit trail

\`data.audit.action\` of the types \`assent.audit.…\`, which [webhooks](webhooks.md#the-audit-trail-in-a-siem) explains. \`target.kind\` is the kind of object concerned.

| action | type | done to | what happened | OCSF |
| ------ | ---- | ------- | ------------- | ---- |
${Object.entries(auditActions)
  .map(([action, { target, description, ocsf }]) => {
    const type = auditSubject(action as keyof typeof auditActions);
    return `| \`${action}\` | \`${type}\` | \`${target}\` | ${description} | ${ocsf} |`;
  })
  .join("\n")}
`;

if (process.argv[1] === import.meta.filename) {
  writeFileSync(eventsFile, eventsPage(readFileSync(eventsFile, "utf8")));
}
