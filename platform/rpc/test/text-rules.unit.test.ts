import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { CreateSessionRequestSchema } from "#gen/assent/click/v1/click_pb.ts";
import { CreateAgreementRequestSchema } from "#gen/assent/sign/v1/sign_pb.ts";
import type { FieldProblem } from "../../errors.ts";
import { createTextRules } from "../text-rules.ts";

const rules = createTextRules();
type Definition = NonNullable<Parameters<typeof create<typeof CreateAgreementRequestSchema>>[1]>["definition"];

function problemsOf(definition: Definition): string[] {
  const found: FieldProblem[] = [];
  rules(CreateAgreementRequestSchema, create(CreateAgreementRequestSchema, { definition }), (one) => found.push(one));
  return found.map(({ field, code }) => `${field} ${code}`);
}

describe("texts of requests", () => {
  test.each(["a\nb", "a\rb", "a\tb", "\u0007", "\u0085", "a\u2028b", "a\u007f"])("%j is no line", (text) => {
    expect(
      problemsOf({
        emailSubject: text,
        name: text,
        recipients: [{ name: "Ann" }, { name: text, tabs: [{ label: text }] }],
      }).sort(),
    ).toEqual([
      "definition.emailSubject PATTERN",
      "definition.name PATTERN",
      "definition.recipients[1].name PATTERN",
      "definition.recipients[1].tabs[0].label PATTERN",
    ]);
  });

  test("a message has lines as integrations send them, and no other control characters", () => {
    const message = "Dear Ann,\r\n\r\n\tplease sign.\n";
    expect(problemsOf({ emailBlurb: message, recipients: [{ note: message, emailBlurb: message }] })).toEqual([]);
    expect(problemsOf({ emailBlurb: "a\u0007b", recipients: [{ note: "a\u0000" }] })).toEqual([
      "definition.emailBlurb PATTERN",
      "definition.recipients[0].note PATTERN",
    ]);
  });

  test("every script, joiners, marks of direction and what is shown escaped may be sent", () => {
    const texts = ["می\u200cخواهم", "👩\u200d🚀", "שלום\u200f", "a\u202eb\u200b", "O’Neil & Söhne «GmbH»"];
    expect(problemsOf({ recipients: texts.map((name) => ({ name })) })).toEqual([]);
  });

  test("a user is not called by white space alone", () => {
    for (const userRef of [" ", "\u00a0", "\u3000 ", "\u200b", " \u2060 "]) {
      const found: FieldProblem[] = [];
      rules(CreateSessionRequestSchema, create(CreateSessionRequestSchema, { userRef }), (one) => found.push(one));
      expect(found.map(({ field }) => field)).toEqual(["userRef"]);
    }
  });
});
