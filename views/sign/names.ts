import { AgreementStatus, RecipientRole, RecipientStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DateField } from "#gen/assent/sign/v1/sign_pb.ts";

/** The values of an enum by the names that the interface has for them. */
export interface EnumNames<Value extends number> {
  readonly names: readonly string[];
  /** Null for UNSPECIFIED and for values we do not know. */
  nameOf(value: Value): string | null;
  /** Of a name that a schema has let through. */
  valueOf(name: string): Value;
}

/** `DATE_SIGNED` is `dateSigned`. */
function enumNames<Value extends number>(values: Readonly<Record<string, string | number>>): EnumNames<Value> {
  const known = Object.entries(values)
    .filter((entry): entry is [string, Value & number] => typeof entry[1] === "number" && entry[1] !== 0)
    .map(([name, value]) => [camelCase(name), value] as const);
  const byName = new Map<string, Value>(known);
  const byValue = new Map<number, string>(known.map(([name, value]) => [value, name]));
  return {
    names: known.map(([name]) => name),
    nameOf: (value) => byValue.get(value) ?? null,
    valueOf: (name) => {
      const value = byName.get(name);
      if (value === undefined) throw new Error(`the enum has no value ${name}`);
      return value;
    },
  };
}

const camelCase = (name: string): string =>
  name.toLowerCase().replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

export const statuses = enumNames<AgreementStatus>(AgreementStatus);
export const roles = enumNames<RecipientRole>(RecipientRole);
export const recipientStatuses = enumNames<RecipientStatus>(RecipientStatus);
export const dateFields = enumNames<DateField>(DateField);
