import type { JsonObject } from "@bufbuild/protobuf";
import { parseJsonObject } from "#platform/json-object.ts";
import { receiverOf } from "../connect/receiver.ts";
import type { Endpoint } from "../domain/endpoint.ts";
import { problem, refuse } from "../domain/problems.ts";
import type { WebhooksDeps } from "./deps.ts";
import { urlProblems } from "./endpoint-input.ts";

const maxBytes = 64 * 1024;
const maxEvents = 200;

/** What the settings of the compatible interface say. Throws VALIDATION_FAILED; may look up a name. */
export async function parseConnectSettings(
  deps: Pick<WebhooksDeps, "rules">,
  settingsJson: string,
): Promise<Pick<Endpoint, "url" | "eventTypes" | "isEnabled" | "settings">> {
  const settings = parseJsonObject("settings", settingsJson, maxBytes);
  // Numbers are written out when they are stored, and become longer by that.
  if (Buffer.byteLength(JSON.stringify(settings)) > maxBytes) {
    refuse([problem("settings", "TOO_LARGE", `must have at most ${maxBytes} bytes`)]);
  }
  // What is checked is what is used: the same function reads the settings when something is sent.
  const { url, events: eventTypes, isEnabled } = receiverOf(settings as JsonObject);
  refuse([
    ...(eventTypes.length > maxEvents ? [problem("events", "MAX_ITEMS", `must have at most ${maxEvents} items`)] : []),
    ...(await urlProblems(deps, "urlToPublishTo", url)),
  ]);
  return { url, eventTypes, isEnabled, settings };
}
