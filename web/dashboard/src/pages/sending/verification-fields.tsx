import { useTexts } from "../../texts/texts.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import type { Check, RecipientInput } from "./types.ts";

const choices = ["none", "access_code", "email_code", "both"] as const;
type Choice = (typeof choices)[number];

interface VerificationFieldsProps {
  readonly recipient: RecipientInput;
  /** What the API calls it in errors. */
  readonly at: string;
  readonly onChange: (recipient: RecipientInput) => void;
}

/** What a recipient has to prove before they see anything. */
export function VerificationFields({ recipient, at, onChange }: VerificationFieldsProps) {
  const { verification: texts } = useTexts("sending");
  const checks = recipient.verification ?? [];
  const code = checks.findIndex(({ method }) => method === "access_code");
  const choose = (choice: Choice) => onChange({ ...recipient, verification: checksOf(choice, checks) });
  const setCode = (accessCode: string) =>
    onChange({
      ...recipient,
      verification: checks.map((one, index) => (index === code ? { ...one, accessCode } : one)),
    });
  return (
    <>
      <Select
        label={texts.label}
        options={choices.map((id) => ({ id, label: texts.choices[id], hint: texts.hints[id] }))}
        value={choiceOf(checks)}
        onChange={(key) => choose(choices.find((id) => id === key) ?? "none")}
      />
      {code >= 0 && (
        <TextField
          name={`${at}.verification[${code}].accessCode`}
          label={texts.accessCode}
          hint={isKept(checks[code]) ? texts.keptCode : texts.accessCodeHint}
          value={checks[code]?.accessCode ?? ""}
          onChange={setCode}
          isRequired={!isKept(checks[code])}
          maxLength={50}
          autoComplete="off"
        />
      )}
    </>
  );
}

/** Answers have no code, so one that is not there is stored. */
const isKept = (check: Check | undefined): boolean => check !== undefined && !("accessCode" in check);

function choiceOf(checks: readonly Check[]): Choice {
  const has = (method: Check["method"]): boolean => checks.some((one) => one.method === method);
  if (has("access_code")) return has("email_code") ? "both" : "access_code";
  return has("email_code") ? "email_code" : "none";
}

function checksOf(choice: Choice, before: readonly Check[]): readonly Check[] {
  const wanted = choice === "both" ? (["access_code", "email_code"] as const) : choice === "none" ? [] : [choice];
  return wanted.map((method) => before.find((one) => one.method === method) ?? newCheck(method));
}

const newCheck = (method: Check["method"]): Check => ({
  ...{ method, before: "viewing", email: null },
  ...(method === "access_code" ? { accessCode: "" } : {}),
});
