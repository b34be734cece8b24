import type { Adopted, Ceremony, PendingCheck } from "#api/ceremony.ts";

export interface FieldProblem {
  readonly field: string;
  readonly code: string;
}

/** An answer that refuses. */
export class ApiError extends Error {
  readonly code: string;
  readonly requestId: string;
  readonly details: readonly FieldProblem[];

  constructor(body: { errorCode?: string; message?: string; requestId?: string; details?: ApiError["details"] }) {
    super(body.message ?? "");
    this.code = body.errorCode ?? "";
    this.requestId = body.requestId ?? "";
    this.details = body.details ?? [];
  }

  get isExpired(): boolean {
    return this.code === "VIEW_URL_EXPIRED";
  }

  /** The sender is changing the agreement: what was entered stays, and counts in a few minutes. */
  get isLocked(): boolean {
    return this.code === "ENVELOPE_LOCKED";
  }
}

export interface Ended {
  /** Where to go next; null when nobody waits for the person. */
  readonly returnUrl: string | null;
}

/** The operations of a session; addresses are relative to its page. */
export const api = {
  ceremony: () => get<Ceremony>("ceremony"),
  documentUrl: (documentId: string): string =>
    new URL(`documents/${encodeURIComponent(documentId)}`, location.href).href,
  sendCode: (method: PendingCheck["method"]) =>
    post<{ sent: boolean; verification: PendingCheck }>("verification/code", { method }),
  prove: (method: PendingCheck["method"], code: string) =>
    post<{ outcome: "passed" | "wrong" | "no-code" | "locked"; triesLeft: number }>("verification", { method, code }),
  consent: (textSha256: string, locale: string) => post<{ consentedAt: string }>("consent", { textSha256, locale }),
  finish: (body: { values: readonly TabValue[]; signature: Adopted | null; initials: Adopted | null }) =>
    post<Ended>("finish", body),
  attach: (body: { tabId: string; fileName: string; contentBase64: string }) =>
    post<{ value: string }>("attachments", body),
  /** What is kept alive is sent even while the page goes away. */
  save: (body: Progress, keepalive: boolean) => post<unknown>("progress", body, { keepalive }),
  leave: () => post<Ended>("leave", { values: [] }),
  decline: (reason: string) => post<Ended>("decline", { reason }),
  decide: (decision: "send" | "save" | "cancel") => post<Ended>("decision", { decision }),
};

interface Progress {
  readonly values: readonly TabValue[];
  readonly place?: string;
  readonly signature: Adopted | null;
  readonly initials: Adopted | null;
}

export interface TabValue {
  readonly tabId: string;
  readonly value: string;
}

const get = <T>(path: string): Promise<T> => request(path, { headers: { accept: "application/json" } });

const post = <T>(path: string, body: unknown, options: RequestInit = {}): Promise<T> =>
  request(path, {
    ...options,
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(body),
  });

async function request<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, { ...init, credentials: "same-origin" });
  const text = await response.text();
  const body = parse(text);
  if (!response.ok) throw new ApiError(body as ConstructorParameters<typeof ApiError>[0]);
  return body as T;
}

/** A proxy in front of the gateway may answer with HTML instead of JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
