import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { sendAsOne, useApi } from "../../api/client.ts";
import { ApiError, errorOf, unreachable } from "../../api/errors.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { useTexts } from "../../texts/texts.tsx";
import { type Details, formFillerOf, withFields } from "./details.ts";
import { formFieldsIn, pathOf, useDraftChanges } from "./queries.ts";
import { groupsOf, lowestFree } from "./recipients.ts";
import type { Draft } from "./types.ts";

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
  const queries = useQueryClient();
  const { draftOf, draftIs, draftGone, othersChanged } = useDraftChanges();
  const { fileRefused } = useTexts("sending");
  const { byCode } = useTexts("errors");
  const id = useRef(draftId);
  /** The ids of files that have arrived, by their keys. */
  const arrived = useRef(new Map<string, string>());
  const [progress, setProgress] = useState<ReadonlyMap<string, number>>(new Map());

  const write = async (details: Details): Promise<Draft> => {
    const { subject, message, brandId } = details;
    const words = { emailSubject: subject.trim(), emailBlurb: message.trim(), brandId };
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
      await sendFiles(written, details);
    } finally {
      // What of it was done counts as known, or the next attempt would take it for the work of somebody else.
      draftIs(await api.get<Draft>(pathOf(written.id)));
    }
    return draftOf(written.id) ?? written;
  };

  const sendFiles = async (written: Draft, { documents, recipients }: Details): Promise<void> => {
    const taken = written.documents.map(({ documentId }) => documentId);
    for (const document of documents) {
      const { key, file } = document;
      if (file === undefined || arrived.current.has(key)) continue;
      const documentId = lowestFree(taken);
      const onProgress = (part: number) => setProgress(new Map([[key, part]]));
      onProgress(0);
      const filler = formFillerOf(document, recipients);
      const hasForm = filler !== undefined && (await queries.fetchQuery(formFieldsIn(document))) > 0;
      const path = `${pathOf(written.id)}/documents/${documentId}${hasForm ? formQuery(filler.recipientId) : ""}`;
      await sendAsOne(queries, (csrfToken = "") => upload(path, file, { csrfToken, onProgress })).catch((error) => {
        throw isRefusal(error)
          ? refusalOf(error, fileRefused(file.name, byCode.get(error.code) ?? error.message))
          : error;
      });
      taken.push(documentId);
      arrived.current.set(key, documentId);
    }
  };

  /** Nobody wants a draft without the file that was to be signed, and there is none to come back to. */
  const discard = async (written: Draft): Promise<void> => {
    await api.send("DELETE", pathOf(written.id));
    id.current = undefined;
    arrived.current.clear();
    draftGone(written.id);
  };

  const save = async (details: Details): Promise<void> => {
    const isNew = id.current === undefined;
    try {
      const written = await write(details);
      id.current = written.id;
      const saved = await sendDocuments(written, details).catch(async (error) => {
        // When it cannot be deleted it is known, and the next attempt changes it.
        if (isNew && isRefusal(error)) await discard(written).catch(() => undefined);
        throw error;
      });
      await othersChanged(saved.id);
      onSaved(saved);
    } finally {
      setProgress(new Map());
    }
  };
  return { save, progress };
}

/** Whether a file was refused for what it is, and will be again. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 400 || error.status === 413 || error.status === 422);

/** In words that name the file; a code that the texts know would replace them. */
const refusalOf = ({ status, requestId, details }: ApiError, message: string): ApiError =>
  new ApiError({ status, code: "FILE_REFUSED", message, requestId, details });

const formQuery = (recipientId: string): string =>
  `?${new URLSearchParams({ pdfFields: "transform", pdfFieldsRecipientId: recipientId })}`;

/** The ids of documents that the agreement has and that were taken away. */
function goneOf(before: Draft, details: Details, arrived: ReadonlyMap<string, string>): ReadonlySet<string> {
  const kept = new Set(details.documents.map(({ key, documentId }) => documentId ?? arrived.get(key)));
  return new Set(before.documents.map(({ documentId }) => documentId).filter((id) => !kept.has(id)));
}

interface UploadOptions {
  readonly csrfToken: string;
  /** With the part that has been sent, from 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/** Sends a file as the body of a PUT; fetch would not say how far it is. Throws ApiError. */
function upload(path: string, file: File, { csrfToken, onProgress }: UploadOptions): Promise<void> {
  const request = new XMLHttpRequest();
  request.open("PUT", path);
  request.setRequestHeader("Accept", "application/json");
  request.setRequestHeader("Content-Type", typeOf(file));
  request.setRequestHeader("Content-Disposition", `attachment; filename*=UTF-8''${extended(file.name)}`);
  request.setRequestHeader("X-CSRF-Token", csrfToken);
  request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
    if (lengthComputable && total > 0) onProgress(loaded / total);
  });
  return new Promise((resolve, reject) => {
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else void errorOf(answerOf(request)).then(reject);
    });
    for (const end of ["error", "abort", "timeout"]) request.addEventListener(end, () => reject(unreachable()));
    request.send(file);
  });
}

/** JSON would be read as a description of a document. */
const typeOf = ({ type }: File): string => (type === "" || type.includes("json") ? "application/octet-stream" : type);

/** RFC 8187. */
const extended = (name: string): string =>
  encodeURIComponent(name).replaceAll("'", "%27").replaceAll("(", "%28").replaceAll(")", "%29").replaceAll("*", "%2A");

function answerOf(request: XMLHttpRequest): Response {
  const status = request.status >= 200 ? request.status : 502;
  const requestId = request.getResponseHeader("x-request-id");
  return new Response(request.responseText, {
    status,
    headers: requestId === null ? {} : { "x-request-id": requestId },
  });
}
