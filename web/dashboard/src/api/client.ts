import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { SignedIn } from "#api/users.ts";
import { type ApiError, errorOf, unreachable } from "./errors.ts";
import { endedKey, sessionKey } from "./session-types.ts";

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

/**
 * The API as the person who is signed in. Throws ApiError. When the session has ended, requests wait until the person has signed
 * in again and are sent once more, so that nothing is lost that was typed; whoever does not sign in again is led to the sign-in
 * page.
 */
export function useApi(): Api {
  const queries = useQueryClient();
  return useMemo(
    () =>
      createApi({
        csrfToken: () => queries.getQueryData<SignedIn | null>(sessionKey)?.csrfToken,
        isBegunAgain: () => isBegunAgain(queries),
      }),
    [queries],
  );
}

interface Session {
  csrfToken(): string | undefined;
  /** After the session has ended: whether the person has signed in again. */
  isBegunAgain(): Promise<boolean>;
}

function isBegunAgain(queries: QueryClient): Promise<boolean> {
  if (!queries.getQueryData(sessionKey)) {
    queries.setQueryData(sessionKey, null);
    return Promise.resolve(false);
  }
  queries.setQueryData(endedKey, true);
  return new Promise((resolve) => {
    const stop = queries.getQueryCache().subscribe(() => {
      if (queries.getQueryData(endedKey) === true) return;
      stop();
      resolve(Boolean(queries.getQueryData(sessionKey)));
    });
  });
}

function createApi(session: Session): Api {
  const ask = async (method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Response> => {
    const answered = await askOnce(method, path, body, idempotencyKey);
    const isOver = endedCodes.has(answered.error?.code ?? "") && path !== "/v1/dashboard/logout";
    // A request that was refused for want of a session has done nothing, so it may be sent again.
    const { response, error } =
      isOver && (await session.isBegunAgain()) ? await askOnce(method, path, body, idempotencyKey) : answered;
    if (error !== undefined) throw error;
    return response;
  };
  const askOnce = async (
    method: string,
    path: string,
    body?: unknown,
    idempotencyKey?: string,
  ): Promise<{ readonly response: Response; readonly error?: ApiError }> => {
    const response = await fetchOrThrow(path, {
      method,
      headers: {
        ...headersOf(method, body, session.csrfToken()),
        ...(idempotencyKey === undefined ? {} : { "X-Idempotency-Key": idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: "same-origin",
      cache: "no-store",
    });
    return response.ok ? { response } : { response, error: await errorOf(response) };
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
