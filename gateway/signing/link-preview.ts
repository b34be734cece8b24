import type { RouteRequest } from "../routes/route.ts";

/** Who fetches an address that nobody has followed. */
export type Preview = "program" | "prefetch";

/** What fetches a link for its looks, or ahead of somebody who may never follow it: a link that opens once is not its. */
export function previewOf({ headers, observed }: Pick<RouteRequest, "headers" | "observed">): Preview | undefined {
  const purposes = ["sec-purpose", "purpose", "x-purpose", "x-moz"].map((name) => String(headers[name] ?? ""));
  if (purposes.some((purpose) => /prefetch|preview|prerender/i.test(purpose.slice(0, 100)))) return "prefetch";
  const program = observed.userAgent.toLowerCase();
  return previewers.some((name) => program.includes(name)) ? "program" : undefined;
}

/** Of messengers and networks, as they call themselves in User-Agent. */
const previewers = [
  "slackbot",
  "facebookexternalhit",
  "twitterbot",
  "linkedinbot",
  "discordbot",
  "telegrambot",
  "whatsapp/",
  "skypeuripreview",
  "google-pagerenderer",
  "googlebot",
  "bingbot",
  "bingpreview",
  "applebot",
  "mattermost-bot",
];
