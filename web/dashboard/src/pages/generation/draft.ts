import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { GenTemplate as Template } from "#api/generation-templates.ts";
import { useApi } from "../../api/client.ts";
import { useUnloadGuard } from "../../ui/use-leave-guard.tsx";
import type { Data } from "./queries.ts";
import { templatePath, useGenerationChanges } from "./queries.ts";

/** What somebody writes and has not saved. */
export interface Draft {
  readonly content: string;
  /** JSON, or what is to become it; empty for none. */
  readonly sample: string;
}

interface KeptDraft extends Draft {
  /** What was saved when it was begun. */
  readonly base: Draft;
}

export interface DraftState extends Draft {
  readonly isChanged: boolean;
  /** Somebody else has saved the template since this draft was begun. */
  readonly isOvertaken: boolean;
  change(change: Partial<Draft>): void;
  /** Back to what is saved. */
  discard(): void;
  /** Throws Overtaken instead of overwriting what somebody else has saved, unless overwriting is requested. */
  save(options?: { readonly over?: boolean }): Promise<void>;
}

/** The draft of a template. It survives visits to other pages, so that nothing is lost by looking elsewhere. */
export function useDraft(template: Template): DraftState {
  const api = useApi();
  const queries = useQueryClient();
  const { templateIs } = useGenerationChanges();
  const key = [...draftsKey, template.id];
  const [kept, setKept] = useState<KeptDraft | null>(() => queries.getQueryData<KeptDraft | null>(key) ?? null);
  const keep = (draft: KeptDraft | null) => {
    setKept(draft);
    queries.setQueryDefaults(draftsKey, { gcTime: Number.POSITIVE_INFINITY });
    queries.setQueryData(key, draft);
  };
  const saved = savedPart(template);
  const draft: Draft = kept ?? saved;
  useUnloadGuard(kept !== null);
  return {
    content: draft.content,
    sample: draft.sample,
    isChanged: kept !== null,
    isOvertaken: kept !== null && !saysTheSame(kept.base, saved),
    change: (change) => {
      const next = { content: draft.content, sample: draft.sample, ...change };
      keep(isSame(next, saved) ? null : { ...next, base: kept?.base ?? saved });
    },
    discard: () => keep(null),
    save: async ({ over = false } = {}) => {
      if (kept === null) return;
      const sampleData = parseData(kept.sample);
      if (sampleData === undefined) throw new NotData();
      const now = await api.get<Template>(templatePath(template.id));
      if (!over && !saysTheSame(savedPart(now), kept.base)) {
        await templateIs(now);
        throw new Overtaken();
      }
      const changed = await api.send<Template>("PATCH", templatePath(template.id), {
        ...(kept.content === now.content ? {} : { content: kept.content }),
        sampleData,
      });
      await templateIs(changed);
      keep(null);
    },
  };
}

/** Somebody else has saved the template meanwhile. */
export class Overtaken extends Error {}
/** The sample data is no JSON object. */
export class NotData extends Error {}

const draftsKey = ["generation", "draft"] as const;

const savedPart = ({ content, sampleData }: Template): Draft => ({
  content,
  sample: sampleData === null ? "" : JSON.stringify(sampleData, null, 2),
});

const isSame = (one: Draft, other: Draft): boolean => one.content === other.content && one.sample === other.sample;

/** The API may answer the same data in another order of its fields. */
const saysTheSame = (one: Draft, other: Draft): boolean =>
  one.content === other.content && inOneOrder(one.sample) === inOneOrder(other.sample);

const inOneOrder = (sample: string): string => JSON.stringify(sorted(parseData(sample) ?? null));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}

/** Null for none; undefined for what is no JSON object. */
export function parseData(text: string): Data | null | undefined {
  if (text.trim() === "") return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Data) : undefined;
  } catch {
    return undefined;
  }
}
