import { prefers } from "../http/accept.ts";

/** The forms of a rendering. */
export type RenderFormat = "json" | "html" | "fragment";

/** As ?format= says; else HTML for whoever prefers it to JSON, as browsers do, and JSON for everybody else. */
export const chooseFormat = (asked: RenderFormat | undefined, accept: string | undefined): RenderFormat =>
  asked ?? (prefers(accept, "text/html", "application/json") ? "html" : "json");
