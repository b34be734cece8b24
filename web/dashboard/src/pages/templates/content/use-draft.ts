import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Version } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { asApiError } from "../../../api/errors.ts";
import { type Action, useAction } from "../../../ui/use-action.ts";
import { templatePath, useTemplateChanges, versionPath } from "../queries.ts";
import { bodyOf, changedFields, type Draft, draftOf } from "./draft.ts";
import type { LocaleState } from "./locales.ts";

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

type Save = (base: Version | undefined, draft: Draft, onStep: (version: Version) => void) => Promise<void>;

/** Each step that was made is told, so that another attempt goes on from there. */
function useSave(templateId: string, locale: string): Save {
  const api = useApi();
  const { versionIs, templateChanged } = useTemplateChanges();
  const create = (draft: Draft) => {
    const body = { locale, ...bodyOf(draft, changedFields(draftOf(undefined), draft)) };
    return api.send<Version>("POST", `${templatePath(templateId)}/versions`, { content: draft.content, ...body });
  };
  const update = (base: Version, draft: Draft) =>
    api.send<Version>("PATCH", versionPath(base), {
      ...bodyOf(draft, changedFields(draftOf(base), draft)),
      ifUpdatedAt: base.updatedAt,
    });
  const takeBack = (base: Version) => api.send<Version>("POST", `${versionPath(base)}/publish`, { published: false });
  return async (base, draft, onStep) => {
    const told = (version: Version) => {
      versionIs(version);
      onStep(version);
    };
    try {
      let current = base;
      if (current?.status === "PUBLISHED") {
        current = await takeBack(current);
        // What it says can only have been changed by somebody who took it back before; then theirs is to be seen first.
        if (changedFields(draftOf(base), draftOf(current)).length === 0) told(current);
      }
      told(current === undefined ? await create(draft) : await update(current, draft));
      if (base?.status !== "DRAFT") await templateChanged(templateId);
    } catch (error) {
      if (isConflict(error)) await templateChanged(templateId);
      throw error;
    }
  };
}

const conflicts = new Set(["CLICK_VERSION_CONFLICT", "CLICK_VERSION_LOCALE_EXISTS", "CLICK_VERSION_PUBLISHED"]);

/** The newest state tells what has happened. */
const isConflict = (error: unknown): boolean => conflicts.has(asApiError(error).code);
