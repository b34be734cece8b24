import { EndUserContextSchema } from "#gen/assent/click/v1/click_pb.ts";
import { described, flag, mapOf, orNull, text } from "./kinds.ts";
import { optional } from "./members.ts";
import { nested, resource } from "./resource.ts";

const endUserContext = resource(EndUserContextSchema, {
  ip: optional(orNull(text(0, 100))),
  userAgent: optional(orNull(text(0, 1_000))),
  pageUrl: optional(orNull(text(0, 2_048))),
  pageTitle: optional(orNull(text(0, 500))),
  referrer: optional(orNull(text(0, 2_048))),
  acceptLanguage: optional(orNull(text(0, 500))),
  timezone: optional(orNull(text(0, 100))),
  gpc: optional(orNull(flag)),
});

export const contextOfUser = orNull(described(nested(endUserContext), "The end user's side as your backend saw it."));

/** Texts of the customer's own, to find something by. */
export const ownTexts = mapOf(text(0, 500), { max: 50, key: 500 });
