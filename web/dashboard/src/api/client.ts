import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { SignedIn } from "#api/users.ts";
import { endedKey, isSamePerson, sessionKey } from "./begin-session.ts";
import { ApiError, errorOf, unreachable } from "./errors.ts";

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Api {
  get<T>(path: string, query?: QueryValues): Promise<T>;
  send<T>(
    method: "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    /** See useSendOnce. */
    idempotencyKey?: string,
  ): Promise<T>;
  /** An answer that has pages; `next` is the cursor of the one after it. */
  getPage<T>(path: string, query?: QueryValues): Promise<{ body: T; next?: string }>;
  /** The same where what is looked for must not stand in an address. */
  searchPage<T>(path: string, wanted: unknown, query?: QueryValues): Promise<{ body: T; next?: string }>;
  /** The same for a list. */
  list<T>(path: string, query?: QueryValues): Promise<{ items: T[]; next?: string }>;
}

/** The API as the person who is signed in. Throws ApiError. What becomes of it when the session has ended, see sendAsOne. */
export function useApi(): Api {
  const queries = useQueryClient();
  return useMemo(() => createApi(queries), [queries]);
}

/** Sends a request, and throws ApiError when it was refused. */
type Send<T> = (csrfToken: string | undefined) => Promise<T>;

/**
 * Sends as one person and nobody else. When the session has ended, it waits until this person has signed in again for the same
 * organization and sends once more, so that nothing is lost that was typed; whoever does not sign in again is led to the
 * sign-in page.
 */
export async function sendAsOne<T>(queries: QueryClient, send: Send<T>): Promise<T> {
  const asked = sessionOf(queries);
  try {
    return await send(asked?.csrfToken);
  } catch (error) {
    // A request that was refused for want of a session has done nothing, so it may be sent again.
    const isOver = error instanceof ApiError && endedCodes.has(error.code);
    if (!isOver || !(await isBegunAgain(queries, asked))) throw error;
    return send(sessionOf(queries)?.csrfToken);
  }
}

const sessionOf = (queries: QueryClient) => queries.getQueryData<SignedIn | null>(sessionKey);

/** Whether the person who has asked has signed in again; another one may have done so, also since the request was sent. */
function isBegunAgain(queries: QueryClient, asked: SignedIn | null | undefined): Promise<boolean> {
  const found = sessionOf(queries);
  if (!found) queries.setQueryData(sessionKey, null);
  if (!found || !asked || !isSamePerson(found, asked)) return Promise.resolve(false);
  const isWaiting = () => queries.getQueryData(endedKey) === true;
  if (found.csrfToken !== asked.csrfToken && !isWaiting()) return Promise.resolve(true);
  queries.setQueryData(endedKey, true);
  return new Promise((resolve) => {
    const stop = queries.getQueryCache().subscribe(() => {
      const now = sessionOf(queries);
      const isOurs = Boolean(now && isSamePerson(now, asked));
      if (isOurs && isWaiting()) return;
      stop();
      resolve(isOurs);
    });
  });
}

function createApi(queries: QueryClient): Api {
  const ask = (method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Response> => {
    const send = askOnce(method, path, body, idempotencyKey);
    return path === "/v1/dashboard/logout" ? send(sessionOf(queries)?.csrfToken) : sendAsOne(queries, send);
  };
  const askOnce =
    (method: string, path: string, body?: unknown, idempotencyKey?: string): Send<Response> =>
    async (csrfToken) => {
      const response = await fetchOrThrow(path, {
        method,
        headers: {
          ...headersOf(method, body, csrfToken),
          ...(idempotencyKey === undefined ? {} : { "X-Idempotency-Key": idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        credentials: "same-origin",
        cache: "no-store",
      });
      if (!response.ok) throw await errorOf(response);
      return response;
    };
  const pageOf = async <T>(asked: Promise<Response>): Promise<{ body: T; next?: string }> => {
    const response = await asked;
    const next = response.headers.get("x-next-cursor");
    const body = await response.json();
    return next === null ? { body } : { body, next };
  };
  return {
    get: async (path, query) => jsonOf(await ask("GET", withQuery(path, query))),
    getPage: (path, query) => pageOf(ask("GET", withQuery(path, query))),
    searchPage: (path, wanted, query) => pageOf(ask("POST", withQuery(path, query), wanted)),
    send: async (method, path, body, idempotencyKey) => jsonOf(await ask(method, path, body, idempotencyKey)),
    list: async <T>(path: string, query?: QueryValues) => {
      const { body: items, ...rest } = await pageOf<T[]>(ask("GET", withQuery(path, query)));
      return { items, ...rest };
    },
  };
}

const endedCodes: ReadonlySet<string> = new Set(["SESSION_ENDED", "UNAUTHORIZED", "session_ended", "unauthorized"]);

async function fetchOrThrow(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, request);
  } catch {
    throw unreachable();
  }
}

function headersOf(method: string, body: unknown, csrfToken: string | undefined): Record<string, string> {
  return {
    Accept: "application/json",
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...(method === "GET" || csrfToken === undefined ? {} : { "X-CSRF-Token": csrfToken }),
  };
}

function withQuery(path: string, query: QueryValues = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** Undefined for an answer without a body. */
async function jsonOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}
/** As the API takes files; in pieces, because a function takes only so many arguments. */
export async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    pieces.push(String.fromCharCode(...bytes.subarray(from, from + pieceBytes)));
  }
  return btoa(pieces.join(""));
}

const pieceBytes = 32_768;
