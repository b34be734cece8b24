import { useRef } from "react";
import { useApi } from "./client.ts";
import { ApiError } from "./errors.ts";

/**
 * Creates something with a POST that takes an X-Idempotency-Key. A person who tries again because no answer came sends
 * the same key with the same body, and gets what was created the first time.
 */
export function useSendOnce(): <T>(path: string, body?: unknown) => Promise<T> {
  const api = useApi();
  const unanswered = useRef<{ readonly of: string; readonly key: string }>(undefined);
  return async <T>(path: string, body?: unknown): Promise<T> => {
    const of = JSON.stringify([path, body]);
    const { key } = unanswered.current?.of === of ? unanswered.current : { key: newKey() };
    unanswered.current = { of, key };
    try {
      const answer = await api.send<T>("POST", path, body, key);
      unanswered.current = undefined;
      return answer;
    } catch (error) {
      if (isAnswer(error)) unanswered.current = undefined;
      throw error;
    }
  };
}

/** Whether the API itself has refused; proxies in between may only report that they got no answer. */
const isAnswer = (error: unknown): boolean => error instanceof ApiError && error.status !== 0 && error.status < 502;

/** Browsers offer randomUUID only in secure contexts, and an installation may be tried out without TLS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
