import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { checkContent } from "../domain/content-rules/check-content.ts";
import type { Publication } from "../domain/content-rules/report.ts";
import { completeTypeConfig } from "../domain/type-config.ts";

/** `severity code` of each finding about consent. */
function findings(content: string, typeConfig?: JsonObject): string[] {
  const publication: Publication | undefined = typeConfig && {
    locale: "en",
    texts: {},
    typeConfig: completeTypeConfig("CONSENT", typeConfig),
  };
  const subject = {
    type: "CONSENT",
    format: "HTML",
    content,
    ...(publication === undefined ? {} : { publication }),
  } as const;
  const { errors, warnings } = checkContent(subject);
  return [...errors, ...warnings]
    .filter(({ code }) => code.startsWith("CONSENT_"))
    .map(({ severity, code }) => `${severity} ${code}`);
}

const withdrawal = "<p>You can withdraw your consent at any time.</p>";
const complete = {
  controller: { name: "ACME Ltd" },
  withdrawalMethod: "By mail",
  purposes: [{ key: "news", name: "News" }],
};

describe("checkContent of CONSENT", () => {
  test.each([
    "<p>The box is pre-checked.</p>",
    "<p>Boxes are pre-ticked for you.</p>",
    "<p>This option is ticked by default.</p>",
    "<p>The boxes are already checked.</p>",
    "<p>Pre-selected consent: news.</p>",
    "<p>Das Kästchen ist vorausgewählt.</p>",
    "<p>La case est pré-cochée.</p>",
    "<p>La casilla está premarcada.</p>",
    "<p>Uncheck this box to opt out.</p>",
    "<p>Tick the box if you do not want news.</p>",
    "<p>Entfernen Sie den Haken, wenn Sie nicht wollen.</p>",
    "<p>☑ News</p>",
  ])("refuses a box that is ticked beforehand: %j", (content) => {
    expect(findings(content + withdrawal)).toEqual(["ERROR CONSENT_PRECHECKED"]);
  });

  test.each([
    "<input type=checkbox checked>News",
    "<p checked>News</p>",
    "<p role=checkbox aria-checked=true>News</p>",
  ])("refuses markup that ticks a box: %j", (content) => {
    expect(findings(content)).toContain("ERROR CONSENT_PRECHECKED");
  });

  test("refuses a ticked box in the task list of Markdown", () => {
    const { errors } = checkContent({
      type: "CONSENT",
      format: "MARKDOWN",
      content: "- [ ] News\n- [x] Offers, withdraw any time",
    });
    expect(errors).toMatchObject([{ code: "CONSENT_PRECHECKED", line: 2, column: 1 }]);
  });

  test.each([
    "<p>No box is pre-ticked.</p>",
    "<p>The boxes are not pre-checked.</p>",
    "<p>Kein Kästchen ist vorausgewählt.</p>",
    "<p>English is the language that is selected by default.</p>",
    "<p>Tick the box to receive news.</p>",
    "<p>☐ News</p>",
  ])("has nothing against %j", (content) => {
    expect(findings(content + withdrawal)).toEqual([]);
  });

  test("tells where the words stand", () => {
    const content = `<p>a</p>\n<p>The <b>box is pre-ticked</b> now.</p>${withdrawal}`;
    expect(checkContent({ type: "CONSENT", format: "HTML", content }).errors).toMatchObject([
      { code: "CONSENT_PRECHECKED", line: 2, column: 18, snippet: "pre-ticked" },
    ]);
  });

  test.each([
    "<p>By continuing to use this site you consent to cookies.</p>",
    "<p>By using our service, you agree to receive mail.</p>",
    "<p>Your continued use of the site means acceptance.</p>",
    "<p>Wenn Sie weitersurfen, sind Sie damit einverstanden.</p>",
    "<p>En continuant, vous acceptez.</p>",
    "<p>Al continuar navegando, acepta el uso.</p>",
  ])("warns of consent that is bundled with something else: %j", (content) => {
    expect(findings(content + withdrawal)).toEqual(["WARNING CONSENT_BUNDLED"]);
  });

  test("warns when the text does not say that consent can be withdrawn, in many languages", () => {
    expect(findings("<p>News by mail.</p>")).toEqual(["WARNING CONSENT_WITHDRAWAL_MISSING"]);
    for (const content of [
      "You may revoke it.",
      "Unsubscribe at any time.",
      "Sie können die Einwilligung jederzeit widerrufen.",
      "Vous pouvez retirer votre consentement.",
      "Puede retirar su consentimiento.",
      "Puoi revocare il consenso.",
      "U kunt uw toestemming intrekken.",
      "Pode retirar o consentimento.",
    ]) {
      expect(findings(content)).toEqual([]);
    }
  });

  test("before publication nobody knows the configuration, so it is not missed", () => {
    expect(findings(withdrawal)).toEqual([]);
  });

  test("publication needs purposes and a controller, and a way to withdraw unless the text has one", () => {
    expect(findings("<p>News</p>", {})).toEqual([
      "ERROR CONSENT_PURPOSES_MISSING",
      "ERROR CONSENT_CONTROLLER_MISSING",
      "ERROR CONSENT_WITHDRAWAL_MISSING",
    ]);
    expect(findings(`<p>News of ACME Ltd</p>${withdrawal}`, { ...complete, purposes: [] })).toEqual([
      "ERROR CONSENT_PURPOSES_MISSING",
    ]);
    const { withdrawalMethod: _, ...withoutMethod } = complete;
    expect(findings(`<p>News of ACME Ltd</p>${withdrawal}`, withoutMethod)).toEqual([]);
    expect(findings("<p>News of ACME Ltd</p>", complete)).toEqual(["WARNING CONSENT_WITHDRAWAL_MISSING"]);
  });

  test("warns when the text does not name the controller", () => {
    expect(findings(withdrawal, complete)).toEqual(["WARNING CONSENT_CONTROLLER_MISSING"]);
    expect(findings(`<p>News of <b>acme</b> ltd</p>${withdrawal}`, complete)).toEqual([]);
  });

  test("what is missing in the configuration is told even when the content is broken", () => {
    expect(findings("<script>", { purposes: [] })).toContain("ERROR CONSENT_PURPOSES_MISSING");
  });

  test("other types do not ask for consent", () => {
    const content = "<p>By using this site you agree. The box is pre-ticked.</p>";
    for (const type of ["STATIC", "GENERATED"] as const) {
      const { errors, warnings } = checkContent({ type, format: "HTML", content });
      expect([...errors, ...warnings].filter(({ code }) => code.startsWith("CONSENT_"))).toEqual([]);
    }
  });
});
