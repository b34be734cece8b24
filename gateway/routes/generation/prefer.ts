import type { HeaderParam, RouteRequest } from "../route.ts";

export const preferHeader: HeaderParam = {
  description: "`respond-async` (RFC 7240): answers at once, without waiting for the document.",
  schema: { type: "string", examples: ["respond-async"] },
};

/** Whether the caller would rather not wait (RFC 7240 §4.1). Node joins repeated headers with commas. */
export const preferAsync = ({ prefer }: RouteRequest["headers"]): boolean =>
  typeof prefer === "string" &&
  prefer
    .slice(0, 1_000)
    .split(",")
    .some((preference) => preference.split(";")[0]?.trim().toLowerCase() === "respond-async");
