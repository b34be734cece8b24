import { readFileSync } from "node:fs";
import type { CallApi } from "../demo-page/seed.ts";

/** Templates of documents that a newcomer finds in the demo organization, with data to try them with. */
export interface Sample {
  readonly name: string;
  readonly slug: string;
  readonly format: "html" | "markdown";
  readonly page: object;
  readonly locale: string;
  readonly content: string;
  readonly sampleData: object;
}

const samples: readonly Sample[] = [
  {
    name: "Non-disclosure agreement",
    slug: "nda",
    format: "html",
    locale: "en-GB",
    page: { font: "serif", footer: "Page {page} of {pages}" },
    ...files("nda", "html"),
  },
  {
    name: "Invoice",
    slug: "invoice",
    format: "html",
    locale: "en-GB",
    page: { margins: { top: 20, right: 20, bottom: 20, left: 20 }, footer: "Page {page} of {pages}" },
    ...files("invoice", "html"),
  },
  {
    name: "Consent form",
    slug: "consent-form",
    format: "markdown",
    locale: "en-GB",
    page: { header: "St. Anna Clinic", footer: "Page {page} of {pages}" },
    ...files("consent-form", "md"),
  },
];

/** What a POST to /v1/gen/documents takes to render a sample with its data, by its slug. */
export const sampleRequests = (ids: Readonly<Record<string, string>>): ReadonlyMap<string, object> =>
  new Map(samples.map(({ slug, sampleData }) => [slug, { templateId: ids[slug], data: sampleData }]));

/** Makes and publishes the samples that are missing. Answers the ids of all, by their slugs. */
export async function seedSamples(call: CallApi): Promise<Readonly<Record<string, string>>> {
  type Listed = { readonly id: string; readonly slug: string; readonly publishedVersion: number | null };
  const templates = (await call("GET", "/v1/gen/templates")) as readonly Listed[];
  const ids: Record<string, string> = {};
  for (const sample of samples) {
    const known = templates.find(({ slug }) => slug === sample.slug);
    const { id } = known ?? ((await call("POST", "/v1/gen/templates", sample)) as Listed);
    // A start that was interrupted may have left a draft.
    if (known === undefined || known.publishedVersion === null) await call("POST", `/v1/gen/templates/${id}/publish`);
    ids[sample.slug] = id;
  }
  return ids;
}

function files(name: string, extension: string): { readonly content: string; readonly sampleData: object } {
  const read = (file: string): string => readFileSync(new URL(`./${file}`, import.meta.url), "utf8");
  return { content: read(`${name}.${extension}`), sampleData: JSON.parse(read(`${name}.json`)) as object };
}
