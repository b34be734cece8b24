import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Version, VersionDraft } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { asApiError } from "../../../api/errors.ts";
import { type Action, useAction } from "../../../ui/use-action.ts";
import { templatePath, useTemplateChanges, versionPath } from "../queries.ts";
import { bodyOf, changedFields, type Draft, draftOf, openedOf, wholeBodyOf } from "./draft.ts";
import type { LocaleState } from "./words-fields.tsx";

/** What somebody writes in one language. */
export interface Writing {
  readonly draft: Draft;
  /** What it changes; undefined for a version that does not exist yet. */
  readonly base: Version | undefined;
  readonly isDirty: boolean;
  /** What somebody else has saved while this was written. */
  readonly theirs: Version | undefined;
  /** It was written before and not saved when the page was left. */
  readonly isRestored: boolean;
  readonly change: (changes: Partial<Draft>) => void;
  readonly discard: () => void;
  readonly takeTheirs: () => void;
  /** Saving will replace theirs. */
  readonly keepMine: () => void;
  readonly saving: Action<[]>;
}

interface Kept {
  readonly base: Version | undefined;
  readonly draft: Draft;
}

export function useDraft(templateId: string, state: LocaleState): Writing {
  const { open, newest } = state;
  const kept = useKept(templateId, state.locale);
  const [restored] = useState(kept.read);
  const [base, setBase] = useState(restored === undefined ? open : restored.base);
  const [draft, setDraft] = useState(restored?.draft ?? draftOf(open ?? newest));
  const isDirty = changedFields(draftOf(base ?? newest), draft).length > 0;
  const isOther = open?.id !== base?.id || open?.updatedAt !== base?.updatedAt;
  // To publish a text, for one, changes nothing of what it says.
  const saysOther = isOther && changedFields(draftOf(open), draftOf(base)).length > 0;
  const begin = (version: Version | undefined) => {
    setBase(version);
    setDraft(draftOf(version ?? newest));
  };
  useEffect(() => {
    if (!isOther) return;
    if (!isDirty) begin(open);
    else if (!saysOther || open === undefined) setBase(open);
  });
  useEffect(() => kept.write(isDirty ? { base, draft } : undefined));
  const save = useSave(templateId, state.locale);
  const saving = useAction(async () => {
    await save(base, draft, setBase);
  });
  return {
    draft,
    base,
    isDirty,
    theirs: isDirty && saysOther ? open : undefined,
    isRestored: restored !== undefined && isDirty,
    change: (changes) => setDraft((before) => ({ ...before, ...changes })),
    discard: () => {
      kept.write(undefined);
      begin(open);
    },
    takeTheirs: () => begin(open),
    keepMine: () => setBase(open),
    saving,
  };
}

/** Survives that the page is left, by going back for one, but neither a reload nor a logout. */
function useKept(templateId: string, locale: string) {
  const queries = useQueryClient();
  const key = ["unsaved", templateId, locale];
  return {
    read: () => queries.getQueryData<Kept>(key),
    write: (kept: Kept | undefined) => {
      if (kept === undefined) queries.removeQueries({ queryKey: key });
      else queries.setQueryData(key, kept);
    },
  };
}

type Save = (base: Version | undefined, draft: Draft, onSaved: (version: Version) => void) => Promise<void>;

/** What is live stays so: of a published version the next text is saved. */
function useSave(templateId: string, locale: string): Save {
  const api = useApi();
  const { versionIs, draftIs, templateChanged } = useTemplateChanges();
  const create = (draft: Draft) => {
    const body = { locale, ...bodyOf(draft, changedFields(draftOf(undefined), draft)) };
    return api.send<Version>("POST", `${templatePath(templateId)}/versions`, { content: draft.content, ...body });
  };
  const update = (base: Version, draft: Draft) =>
    api.send<Version>("PATCH", versionPath(base), {
      ...bodyOf(draft, changedFields(draftOf(base), draft)),
      ifUpdatedAt: base.updatedAt,
    });
  const saveNext = async (base: Version, draft: Draft): Promise<Version> => {
    const body = { ...wholeBodyOf(draft, base), ifUpdatedAt: base.updatedAt };
    const next = await api.send<VersionDraft>("PUT", `${versionPath(base)}/draft`, body);
    draftIs(base, next);
    return openedOf({ ...base, draft: next }, next);
  };
  return async (base, draft, onSaved) => {
    try {
      if (base?.status === "PUBLISHED") {
        onSaved(await saveNext(base, draft));
        return;
      }
      const version = base === undefined ? await create(draft) : await update(base, draft);
      versionIs(version);
      onSaved(version);
      if (base?.status !== "DRAFT") await templateChanged(templateId);
    } catch (error) {
      if (isConflict(error)) await templateChanged(templateId);
      throw error;
    }
  };
}

const conflicts = new Set([
  ...["CLICK_VERSION_CONFLICT", "CLICK_VERSION_LOCALE_EXISTS", "CLICK_VERSION_PUBLISHED"],
  ...["CLICK_VERSION_NOT_PUBLISHED", "CLICK_VERSION_ARCHIVED", "CLICK_VERSION_SCHEDULED"],
]);

/** The newest state tells what has happened. */
const isConflict = (error: unknown): boolean => conflicts.has(asApiError(error).code);
