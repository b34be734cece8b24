import { escapeHtml } from "#platform/escape-html.ts";
import type { PersonToExport } from "./export-account.ts";
import { folded, readable } from "./export-readable.ts";
import type { StoredExport } from "./export-store.ts";

/** What the page begins with. */
export interface IndexHead extends Pick<StoredExport, "createdAt"> {
  readonly kind: Exclude<StoredExport["kind"], "acceptances">;
  readonly organization: string;
  readonly person: PersonToExport;
}

interface IndexedFile<F> {
  readonly path: string;
  readonly title: string;
  readonly file: F;
}

/** Of each kind of file: all of them are in the archives. */
const maxLinks = 20_000;

const said = {
  person: {
    title: "Export of personal data",
    what: "what was kept about this person",
    without: "What is about other people was left out, except where it is part of a document.",
  },
  organization: {
    title: "Export of an organization",
    what: "all that was kept for this organization",
    without: "Secrets, such as those of keys and passwords, are not in it, nor are hashes of them.",
  },
} as const;

/** Of all that is shown in the page itself; what is beyond is linked alone. */
const maxShown = 2_000_000;

const sections = [
  { folder: "data/accounts/", heading: "Account of the dashboard" },
  { folder: "data/agreements/", heading: "Agreements" },
  { folder: "data/bulk-lists/", heading: "Lists of bulk sending" },
  { folder: "data/acceptances/", heading: "Texts that were shown and decided on" },
  { folder: "data/consent/", heading: "Consent" },
  { folder: "data/generated-documents/", heading: "Generated documents" },
  { folder: "data/webhook-answers/", heading: "Answers of other systems" },
  { folder: "data/", heading: "Records" },
  { folder: "documents/", heading: "Documents" },
  { folder: "proofs/", heading: "Proofs" },
  { folder: "schema/", heading: "Descriptions of the data, for programs" },
] as const;

/** The page that a person opens first: what there is, in plain English, without scripts. */
export async function writeIndex<F>(
  files: readonly IndexedFile<F>[],
  head: IndexHead,
  read: (file: F) => Promise<string>,
): Promise<string> {
  const parts: string[] = [];
  let shown = 0;
  const isOf = ({ path }: IndexedFile<F>) => sections.find(({ folder }) => path.startsWith(folder));
  for (const { folder, heading } of sections) {
    const found = files.filter((one) => isOf(one)?.folder === folder).slice(0, maxLinks);
    if (found.length === 0) continue;
    parts.push(`<h2>${escapeHtml(heading)}</h2>`);
    const links: string[] = [];
    for (const { path, title, file } of found) {
      const isShown = folder.startsWith("data/") && shown < maxShown;
      const body = isShown ? readable(JSON.parse(await read(file)) as unknown) : "";
      shown += body.length;
      const to = (text: string): string => `<a href="${escapeHtml(path)}">${escapeHtml(text)}</a>`;
      if (isShown)
        parts.push(`<section><h3>${escapeHtml(title)}</h3>${body}<p>${to("The same for programs")}</p></section>`);
      else links.push(`<p>${to(title)}</p>`);
    }
    parts.push(folded(links));
  }
  const none = head.kind === "person" ? "Nothing is kept about this person." : "Nothing is kept for this organization.";
  return page(head, parts.length === 0 ? [`<p>${none}</p>`] : parts);
}

const page = (
  { kind, createdAt, organization, person }: IndexHead,
  parts: readonly string[],
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${said[kind].title}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: minmax(0, 14rem) minmax(0, 1fr); gap: .25rem 1rem; margin: 0 }
dt { color: #555 } dd { margin: 0; white-space: pre-wrap } .wide { grid-column: 1 / -1 }
section { border: 1px solid #ccc; border-radius: 6px; padding: 0 1rem; margin: 1rem 0 }
details { margin: .25rem 0 } details > :not(summary) { margin-left: 1rem } summary { cursor: pointer; color: #0b57a4 }
ul { margin: 0; padding-left: 1.25rem }
@media (max-width: 40rem) { dl { grid-template-columns: minmax(0, 1fr); gap: 0 } dd { margin-bottom: .5rem } }
</style>
</head>
<body>
<h1>${said[kind].title}</h1>
${readable({
  ...(kind === "person" ? { person: [person.email, person.userRef].filter(Boolean).join(", ") } : {}),
  ...{ organization, askedFor: createdAt.toISOString() },
})}
<p>This is ${said[kind].what} when it was asked for. What only programs and experts need is folded. All of it stands in
the folder data as well, for programs; the folder schema describes it. The folder documents has the documents of
agreements as they are. The folder proofs has what proves all this to others: evidence bundles, which anyone can check
without the sender's help, and audit trails.</p>
<p>${said[kind].without}</p>
${parts.join("\n")}
</body>
</html>
`;
