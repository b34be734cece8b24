import { DeliveryError, errorOf } from "./handover.ts";
import { type Rendering, readRendering } from "./rendering.ts";

/** Fetches a rendering. Rejects with a DeliveryError. */
export async function fetchRendering(url: string): Promise<Rendering> {
  const response = await fetch(url, {
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(30_000),
  }).catch(() => {
    throw new DeliveryError({});
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw errorOf(response, answer);
  return checkRendering(answer, response.headers.get("x-request-id") ?? undefined);
}

/** Makes sure that this is a rendering and that nobody has changed its text on the way. */
export async function checkRendering(answer: unknown, requestId?: string): Promise<Rendering> {
  const rendering = readRendering(answer);
  if (rendering === undefined) throw new DeliveryError({ requestId, errorCode: "NO_RENDERING" });
  const { html, renderHash } = rendering;
  const hash = await sha256Label(html);
  if (renderHash !== undefined && hash !== undefined && hash !== renderHash) {
    throw new DeliveryError({ requestId, errorCode: "TEXT_CHANGED" });
  }
  return rendering;
}

/** Undefined where browsers do not hash: on pages without https. */
async function sha256Label(text: string): Promise<string | undefined> {
  if (globalThis.crypto?.subtle === undefined) return undefined;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256:${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
