import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { Version, VersionDraft } from "#api/templates.ts";
import { unsavedKey } from "../../../api/begin-session.ts";
import { useApi } from "../../../api/client.ts";
import { asApiError } from "../../../api/errors.ts";
import { useSession } from "../../../app/session.tsx";
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

export function useDraft(templateId: string, state: LocaleState, isReadOnly: boolean): Writing {
  const { open, newest } = state;
  const kept = useKept(templateId, state.locale);
  const [restored] = useState(() => (isReadOnly ? undefined : kept.read()));
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
  // Written when it changes, however often the page is drawn. Who may not write now, as while a publication is scheduled,
  // loses nothing of what they wrote before.
  const { write } = kept;
  const unsaved = useMemo(() => (isDirty ? { base, draft } : undefined), [isDirty, base, draft]);
  useEffect(() => {
    if (!isReadOnly) write(unsaved);
  }, [isReadOnly, unsaved, write]);
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

/**
 * Survives that the page is left and that it is loaded again, in this tab of the browser, until the person logs out. Where
 * the browser stores nothing, or not as much, it survives in memory alone.
 */
function useKept(templateId: string, locale: string) {
  const queries = useQueryClient();
  const name = [unsavedKey, useSession().user.id, templateId, locale].join("/");
  return useMemo(() => {
    const queryKey = ["unsaved", name];
    return {
      read: (): Kept | undefined => queries.getQueryData<Kept>(queryKey) ?? readStored(name),
      write: (kept: Kept | undefined) => {
        if (kept === undefined) queries.removeQueries({ queryKey });
        else queries.setQueryData(queryKey, kept);
        writeStored(name, kept);
      },
    };
  }, [queries, name]);
}

function readStored(name: string): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(name) ?? "null");
    if (typeof kept !== "object" || kept === null || !("draft" in kept)) return undefined;
    const { base, draft } = kept as Kept;
    // An earlier release may have stored it.
    return typeof draft.content === "string" ? { base, draft: { ...draftOf(undefined), ...draft } } : undefined;
  } catch {
    return undefined;
  }
}

function writeStored(name: string, kept: Kept | undefined): void {
  try {
    // What stood there is older; if there is no room for the new one, nothing is better than that.
    sessionStorage.removeItem(name);
    if (kept !== undefined) sessionStorage.setItem(name, JSON.stringify(kept));
  } catch {
    // It is in memory.
  }
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
