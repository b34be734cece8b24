import { useRef, useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { useSession } from "../../app/session.tsx";
import { type Details, type DetailsDocument, withFields } from "./details.ts";
import { pathOf, useDraftChanges } from "./queries.ts";
import { groupsOf, lowestFree } from "./recipients.ts";
import type { Draft } from "./types.ts";
import { upload } from "./upload.ts";

export interface SavingDetails {
  /** Throws what the API refuses; what was saved before that is not saved again the next time. */
  readonly save: (details: Details) => Promise<void>;
  /** Of documents that are being sent, by their keys, from 0 to 1. */
  readonly progress: ReadonlyMap<string, number>;
}

interface Origin {
  /** Of what is changed; nothing when a draft is to be made. */
  readonly draftId?: string;
  readonly templateId?: string | undefined;
  readonly onSaved: (draft: Draft) => void;
}

/** Makes a draft, or changes it, and then sends the files one after the other. */
export function useSaveDetails({ draftId, templateId, onSaved }: Origin): SavingDetails {
  const api = useApi();
  const sendOnce = useSendOnce();
  const { csrfToken } = useSession();
  const { draftOf, draftIs, othersChanged } = useDraftChanges();
  const id = useRef(draftId);
  /** The ids of files that have arrived, by their keys. */
  const arrived = useRef(new Map<string, string>());
  const [progress, setProgress] = useState<ReadonlyMap<string, number>>(new Map());

  const write = async (details: Details): Promise<Draft> => {
    const words = { emailSubject: details.subject.trim(), emailBlurb: details.message.trim() };
    if (id.current === undefined) {
      const recipients = groupsOf(details.recipients.map((one) => ({ ...one, tabs: [] })));
      const origin = templateId === undefined ? {} : { templateId };
      return sendOnce<Draft>("/v1/sign/agreements", { ...origin, ...words, recipients });
    }
    // As it is now: files may have arrived before something failed, and fields have been placed.
    const before = await api.get<Draft>(pathOf(id.current));
    const recipients = groupsOf(withFields(details.recipients, before, goneOf(before, details, arrived.current)));
    const ifModifiedAt = draftOf(before.id)?.modifiedAt;
    return api.send<Draft>("PATCH", pathOf(before.id), { ...words, recipients, ifModifiedAt });
  };

  const sendDocuments = async (written: Draft, details: Details): Promise<Draft> => {
    try {
      for (const one of goneOf(written, details, arrived.current)) {
        await api.send("DELETE", `${pathOf(written.id)}/documents/${encodeURIComponent(one)}`);
      }
      await sendFiles(written, details.documents);
    } finally {
      // What of it was done counts as known, or the next attempt would take it for the work of somebody else.
      draftIs(await api.get<Draft>(pathOf(written.id)));
    }
    return draftOf(written.id) ?? written;
  };

  const sendFiles = async (written: Draft, documents: readonly DetailsDocument[]): Promise<void> => {
    const taken = written.documents.map(({ documentId }) => documentId);
    for (const { key, file } of documents) {
      if (file === undefined || arrived.current.has(key)) continue;
      const documentId = lowestFree(taken);
      const onProgress = (part: number) => setProgress(new Map([[key, part]]));
      onProgress(0);
      await upload(`${pathOf(written.id)}/documents/${documentId}`, file, { csrfToken, onProgress });
      taken.push(documentId);
      arrived.current.set(key, documentId);
    }
  };

  const save = async (details: Details): Promise<void> => {
    try {
      const written = await write(details);
      id.current = written.id;
      const saved = await sendDocuments(written, details);
      await othersChanged(saved.id);
      onSaved(saved);
    } finally {
      setProgress(new Map());
    }
  };
  return { save, progress };
}

/** The ids of documents that the agreement has and that were taken away. */
function goneOf(before: Draft, details: Details, arrived: ReadonlyMap<string, string>): ReadonlySet<string> {
  const kept = new Set(details.documents.map(({ key, documentId }) => documentId ?? arrived.get(key)));
  return new Set(before.documents.map(({ documentId }) => documentId).filter((id) => !kept.has(id)));
}
