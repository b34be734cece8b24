import { isObject, type Json } from "../src/json.ts";
import { at, items } from "../src/read.ts";
import { element } from "./element.ts";

/** What the bundle tells, for whoever wants to know what was verified. */
export function factsOf(bundle: Json): HTMLElement {
  const facts = element("dl", { class: "facts" });
  for (const [name, value] of rows(bundle)) {
    if (value !== "") facts.append(element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  }
  const text = at(bundle, "agreement.rendered") ?? at(bundle, "agreement.content");
  const shown = typeof text === "string" ? [textOf(text)] : [];
  return element(
    "section",
    { "aria-labelledby": "facts-title" },
    element("h2", { id: "facts-title" }, "What it says"),
    facts,
    ...shown,
  );
}

function rows(bundle: Json): [string, string][] {
  const receipt = items(at(bundle, "receipts")).at(-1) ?? null;
  const decision = at(receipt, "decision");
  return [
    [
      "Agreement",
      joined(" · ", at(bundle, "agreement.template.name"), version(bundle), at(bundle, "agreement.version.locale")),
    ],
    ["With", joined("", at(bundle, "agreement.template.counterparty.legalName"))],
    ["Outcome", decision === null ? "Nothing was accepted" : decision === "DECLINE" ? "Declined" : "Accepted"],
    ["By", person(bundle, receipt)],
    ["At", readable(at(receipt, "acceptedAt"))],
    ["Receipt", joined("", at(receipt, "receiptId"))],
    ["Organization", joined("", at(bundle, "organizationId"))],
    ["Bundle made at", readable(at(bundle, "generatedAt"))],
  ];
}

const version = (bundle: Json): Json => {
  const label = at(bundle, "agreement.version.label");
  return label === null || label === "" ? null : `version ${String(label)}`;
};

function person(bundle: Json, receipt: Json): string {
  const user = at(receipt, "userRef") ?? at(bundle, "subject.userRef");
  if (typeof user === "string") return user;
  const holders = [receipt, at(bundle, "subject")].filter(isObject);
  if (holders.some((one) => at(one, "erased") === true)) return "erased";
  return receipt === null ? "" : "not disclosed";
}

const readable = (time: Json): string =>
  typeof time === "string" ? time.replace(/^([0-9-]{10})T([0-9:.]+)Z$/, "$1 $2 UTC") : "";

const joined = (separator: string, ...values: readonly Json[]): string =>
  values.filter((value) => typeof value === "string" || typeof value === "number").join(separator);

/** As its source: what the text would do in a page is nothing that a verifier should try out. */
const textOf = (text: string): HTMLElement =>
  element(
    "details",
    {},
    element("summary", {}, "The text, as source"),
    element("pre", { tabindex: "0", "aria-label": "The text, as source" }, text),
  );
