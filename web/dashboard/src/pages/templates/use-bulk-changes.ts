import type { Template } from "#api/templates.ts";
import { type Api, useApi } from "../../api/client.ts";
import type { BulkResult, Copied, Skipped } from "./bulk-result.tsx";
import { useTemplateChanges } from "./queries.ts";

type Named = Pick<Template, "id" | "name">;
type SkippedAnswer = readonly Omit<Skipped, "name">[];

/** As many as one request takes. */
const archivedAtOnce = 100;
const copiedAtOnce = 50;

/** Changes of many templates, in as many requests as they need. */
export function useBulkChanges() {
  const api = useApi();
  const { templateChanged, listChanged } = useTemplateChanges();
  return {
    archive: async (templates: readonly Named[]): Promise<BulkResult> => {
      const result = await archiveAll(api, templates);
      await Promise.all(templates.map(({ id }) => templateChanged(id)));
      return result;
    },
    duplicate: async (templates: readonly Named[], namePattern: string): Promise<BulkResult> => {
      const result = await duplicateAll(api, templates, namePattern);
      await listChanged();
      return result;
    },
  };
}

async function archiveAll(api: Api, templates: readonly Named[]): Promise<BulkResult> {
  let archived = 0;
  const skipped: Skipped[] = [];
  for (const some of chunksOf(templates, archivedAtOnce)) {
    const body = { templateIds: some.map(({ id }) => id) };
    const answer = await api.send<{ archived: number; skipped: SkippedAnswer }>(
      "POST",
      "/v1/click/templates/bulk/archive",
      body,
    );
    archived += answer.archived;
    skipped.push(...named(answer.skipped, some));
  }
  return { archived, skipped };
}

async function duplicateAll(api: Api, templates: readonly Named[], namePattern: string): Promise<BulkResult> {
  const copies: Copied[] = [];
  const skipped: Skipped[] = [];
  for (const some of chunksOf(templates, copiedAtOnce)) {
    const body = { templateIds: some.map(({ id }) => id), namePattern };
    const answer = await api.send<{ duplicates: Copied[]; skipped: SkippedAnswer }>(
      "POST",
      "/v1/click/templates/bulk/duplicate",
      body,
    );
    copies.push(...answer.duplicates);
    skipped.push(...named(answer.skipped, some));
  }
  return { copies, skipped };
}

function named(skipped: SkippedAnswer, templates: readonly Named[]): Skipped[] {
  const names = new Map(templates.map(({ id, name }) => [id, name]));
  return skipped.map(({ id, reason }) => ({ id, reason, name: names.get(id) ?? id }));
}

function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
