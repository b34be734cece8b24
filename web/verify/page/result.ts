import type { Json } from "../src/json.ts";
import type { Verification } from "../src/verify-bundle.ts";
import { byId, element } from "./element.ts";
import { factsOf } from "./facts.ts";
import { findingsTable } from "./findings.ts";
import { checkTitles } from "./labels.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

const signs: Readonly<Record<Verdict["name"], string>> = { genuine: "✓", unproven: "!", failed: "✕" };

/** Shows what the checks came to, and leads the reader there. */
export function showResult(bundle: Json, verification: Verification): void {
  const verdict = verdictOf(verification);
  const result = byId("result");
  result.replaceChildren(
    verdictBanner(verdict),
    factsOf(bundle),
    element("h2", { id: "checks-title" }, "All checks"),
    findingsTable(bundle, verification.checks),
  );
  result.hidden = false;
  byId("verdict").focus();
}

function verdictBanner({ name, title, text, reasons }: Verdict): HTMLElement {
  const listed = reasons.map(({ check, message }) =>
    element("li", {}, element("strong", {}, `${checkTitles[check]}: `), message),
  );
  return element(
    "div",
    { class: `verdict ${name}` },
    element("span", { class: "sign", "aria-hidden": "true" }, signs[name]),
    element(
      "div",
      {},
      element("h2", { id: "verdict", tabindex: "-1" }, title),
      element("p", {}, text),
      listed.length === 0 ? undefined : element("ul", {}, ...listed),
    ),
  );
}
