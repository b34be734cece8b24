import type { FormValues } from "../../../ui/form.tsx";
import type { FlagValue } from "../configuration.ts";

/** How a flag is set. */
export type FlagControl =
  | { readonly kind: "switch" }
  | { readonly kind: "number"; readonly max: number; readonly min: number }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "set"; readonly choices: readonly string[] };

const onOff = { kind: "switch" } as const;
const number = (min: number, max: number) => ({ kind: "number", min, max }) as const;
const choice = <const C extends readonly string[]>(...choices: C) => ({ kind: "choice", choices }) as const;
const capture = choice("FULL", "TRUNCATED", "NONE");
const maxDays = 3_650;

/** All policy flags, in the order of the page. */
export const flagGroups = {
  reading: {
    requireCheckbox: onOff,
    requireScroll: onOff,
    requireView: onOff,
    minDisplaySeconds: number(0, 3_600),
    requireRenderToken: onOff,
    esignDisclosure: onOff,
    allowDecline: onOff,
    recordDecline: onOff,
  },
  person: {
    requireTypedName: onOff,
    requireAuthenticatedUser: onOff,
    minAge: number(0, 120),
    verificationMethods: {
      kind: "set",
      choices: ["CUSTOMER_ATTESTED", "CUSTOMER_SESSION", "TYPED_NAME", "AGE_STATEMENT"],
    },
    verificationMode: choice("ALL", "ANY"),
  },
  again: {
    requireReacceptance: choice("ON_MAJOR", "ALWAYS", "NEVER"),
    reacceptIntervalDays: number(0, maxDays),
    showChanges: onOff,
    oneAcceptancePerRevision: onOff,
    consentExpiresAfterDays: number(0, maxDays),
    honorGpc: onOff,
  },
  sessions: {
    allowDirectAccept: onOff,
    singleUseSession: onOff,
    sessionTtlSeconds: number(60, 2_592_000),
  },
  records: {
    captureIp: capture,
    captureUserAgent: capture,
    captureReferrer: capture,
    requireSnapshot: onOff,
    sendCopyToUser: onOff,
    retentionDays: number(0, 36_525),
    legalHold: onOff,
  },
} as const satisfies Record<string, Readonly<Record<string, FlagControl>>>;

export type FlagGroup = keyof typeof flagGroups;

export const flagControls: ReadonlyMap<string, FlagControl> = new Map(
  Object.values(flagGroups).flatMap((group) => Object.entries<FlagControl>(group)),
);

/** The flags whose values differ; NONE asks for no verification, as no method does. */
export function changedFlags(
  from: ReadonlyMap<string, FlagValue>,
  to: ReadonlyMap<string, FlagValue>,
): Record<string, FlagValue> {
  const changed = [...to].filter(([name, value]) => textOf(from.get(name)) !== textOf(value));
  return Object.fromEntries(changed);
}

/** What a form says of a flag. */
export function readFlag(values: FormValues, name: string, control: FlagControl): FlagValue {
  switch (control.kind) {
    case "switch":
      return values.isOn(name);
    case "number":
      return Number(values.text(name));
    case "choice":
      return values.text(name);
    case "set":
      return values.list(name);
  }
}

const textOf = (value: FlagValue | undefined): string =>
  Array.isArray(value) ? JSON.stringify(value.filter((item) => item !== "NONE").sort()) : JSON.stringify(value ?? null);
