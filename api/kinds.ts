import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  type JsonObject,
  type MessageInitShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type FieldRules, field as rulesOption } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/** JSON Schema 2020-12, which is also what OpenAPI 3.1 documents. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The init object of a message, but not a finished message. */
export type InitOf<D extends DescMessage> = Exclude<MessageInitShape<D>, { readonly $typeName: string }>;

/** What a schema is of: the body that makes a resource, the one that changes it, or the answer that shows it. */
export type Direction = "create" | "change" | "answer";

/** A place for a value in a message: a field of it, or an item of a list or map. */
export interface Slot {
  readonly name: string;
  readonly many: "list" | "map" | undefined;
  readonly scalar: ScalarType | undefined;
  readonly values: readonly { readonly name: string; readonly number: number }[] | undefined;
  readonly message: DescMessage | undefined;
  readonly rules: FieldRules | undefined;
  /** Whether it is a place in JSON that a service writes itself, which takes every kind. */
  readonly free?: true;
}

/** The place of every member of what a service writes as JSON itself. */
export const freeSlot: Slot = {
  name: "a place in JSON",
  many: undefined,
  scalar: undefined,
  values: undefined,
  message: undefined,
  rules: undefined,
  free: true,
};

/** How a value that there is passes between JSON and a message; unchanged where nothing is said. */
export interface Codec {
  schema(direction: Direction): JsonSchema;
  readonly toJson?: ((value: never) => unknown) | undefined;
  readonly fromJson?: ((value: never) => unknown) | undefined;
  /** What null is in a change without a mask; the empty value when nothing is said. */
  readonly cleared?: unknown;
}

/** A type of JSON: `Shown` in answers, `Sent` in bodies. The types exist for the compiler only. */
export interface Kind<Shown, Sent = Shown> {
  /** Whether null stands in answers and bodies for what there is not. */
  readonly nullable?: boolean;
  /** A value of the message that counts as none. */
  readonly blank?: unknown;
  /** Throws when the place in the message is for something else. */
  at(slot: Slot): Codec;
  readonly shown?: Shown;
  readonly sent?: Sent;
}

export const slotOf = (field: DescField): Slot => ({
  name: `${field.parent.typeName}.${field.name}`,
  many: field.fieldKind === "list" || field.fieldKind === "map" ? field.fieldKind : undefined,
  scalar: field.scalar,
  values: field.enum?.values.map(({ localName, number }) => ({ name: localName, number })),
  message: field.message,
  rules: hasOption(field, rulesOption) ? getOption(field, rulesOption) : undefined,
});

function itemOf(slot: Slot, many: "list" | "map"): Slot {
  demand(slot, slot.many === many, `a ${many}`);
  const { type } = slot.rules ?? {};
  const rules = type?.case === "repeated" ? type.value.items : type?.case === "map" ? type.value.values : undefined;
  return { ...slot, many: undefined, rules };
}

function demand(slot: Slot, fits: boolean, expected: string): void {
  if (!fits && slot.free !== true) throw new Error(`${slot.name} is not ${expected}`);
}

/** A kind that passes its values as they are. */
const plain = <T>(expected: string, fits: (slot: Slot) => boolean, schema: Codec["schema"]): Kind<T> => ({
  at: (slot) => {
    demand(slot, slot.many === undefined && fits(slot), expected);
    return { schema };
  },
});

const isText = ({ scalar }: Slot): boolean => scalar === ScalarType.STRING;
const ofText = (schema: JsonSchema): Kind<string> => plain("a text", isText, () => schema);

interface TextRules {
  readonly pattern?: string;
  /** Whether answers name the bounds too. */
  readonly everywhere?: boolean;
  /** Whether the contract may be stricter. */
  readonly looser?: boolean;
}

/** A text within the bounds that the contract has, or these; they must not be wider. */
export const text = (
  min?: number,
  max?: number,
  { pattern, everywhere = false, looser = false }: TextRules = {},
): Kind<string> => ({
  at: (slot) => {
    demand(slot, slot.many === undefined && isText(slot), "a text");
    const said = slot.rules?.type.case === "string" ? slot.rules.type.value : undefined;
    const widest = Number(said?.maxLen || said?.maxBytes || 0) || undefined;
    const [minLength, maxLength] = [min ?? Number(said?.minLen ?? 0), max ?? (Number(said?.maxLen ?? 0) || undefined)];
    demand(slot, looser || widest === undefined || (maxLength ?? 0) <= widest, `a text of ${maxLength} characters`);
    const bounded: JsonSchema = {
      type: "string",
      ...(maxLength === undefined ? {} : { minLength, maxLength }),
      ...(pattern === undefined ? {} : { pattern }),
    };
    return { schema: (direction) => (direction === "answer" && !everywhere ? { type: "string" } : bounded) };
  },
});

/** Written as ids are, whatever the case in which they come. */
export const uuid: Kind<string> = {
  at: (slot) => ({
    ...ofText({ type: "string", format: "uuid" }).at(slot),
    fromJson: (id: string) => id.toLowerCase(),
  }),
};
export const languageTag = ofText({ type: "string", format: "language-tag", description: "BCP 47." });
export const day = ofText({ type: "string", format: "date", description: "A day in UTC, such as 2026-11-20." });
export const hash = ofText({ type: "string", description: "sha256:<64 hex digits>" });
/** Answers have no bounds: they may show values that were accepted under earlier, wider bounds. */
export const httpsUrl: Kind<string> = plain("a text", isText, (direction) =>
  direction === "answer"
    ? { type: "string", format: "uri" }
    : { type: "string", format: "https-url", maxLength: 2_048 },
);
export const flag = plain<boolean>(
  "a flag",
  ({ scalar }) => scalar === ScalarType.BOOL,
  () => ({ type: "boolean" }),
);

const integers = new Set([ScalarType.UINT32, ScalarType.INT32]);
const isInteger = ({ scalar }: Slot): boolean => scalar !== undefined && integers.has(scalar);

export const integer = (minimum?: number, maximum?: number): Kind<number> =>
  plain("an integer", isInteger, () => ({
    type: "integer",
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  }));
export const count = integer(0);

export const number = (minimum?: number, maximum?: number): Kind<number> =>
  plain(
    "a number",
    ({ scalar }) => scalar === ScalarType.DOUBLE,
    () => ({
      type: "number",
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
    }),
  );

/** One of these texts. */
export const choice = <const Names extends readonly string[]>(...names: Names): Kind<Names[number]> =>
  plain("a text", isText, () => ({ type: "string", enum: names }));

/** ISO 8601 in UTC with milliseconds. */
export const isoOf = ({ seconds, nanos }: Timestamp): string =>
  new Date(Number(seconds) * 1000 + Math.floor(nanos / 1_000_000)).toISOString();

/** Hours and minutes, such as 09:00. */
export const clockTime = text(5, 5, { pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" });
/** A moment: RFC 3339, in answers in UTC with milliseconds. */
export const time: Kind<string> = {
  at: (slot) => {
    demand(slot, slot.many === undefined && slot.message?.typeName === "google.protobuf.Timestamp", "a time");
    return {
      schema: () => ({ type: "string", format: "date-time" }),
      toJson: isoOf,
      fromJson: (iso: string) => timestampFromDate(new Date(iso)),
    };
  },
};

/** A number of the contract that is larger than 32 bits, and exact in JSON all the same. */
export const large = (minimum: number): Kind<number> => ({
  at: (slot) => {
    const isLarge = slot.scalar === ScalarType.UINT64 || slot.scalar === ScalarType.INT64;
    demand(slot, slot.many === undefined && isLarge, "a large count");
    return { schema: () => ({ type: "integer", minimum }), toJson: Number };
  },
});
export const bigCount = large(0);

/** How many there are in a list. */
export const lengthOf: Kind<number> = {
  at: (slot) => {
    demand(slot, slot.many === "list", "a list");
    return { schema: () => ({ type: "integer", minimum: 0 }), toJson: (items: readonly unknown[]) => items.length };
  },
};

const hexDigits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Bytes in hexadecimal digits; the hash of something where it is sent. */
export const digest: Kind<string> = {
  at: (slot) => {
    demand(slot, slot.many === undefined && slot.scalar === ScalarType.BYTES, "bytes");
    return {
      schema: (direction) => ({ type: "string", ...(direction === "answer" ? {} : { pattern: "^[0-9a-f]{64}$" }) }),
      toJson: (bytes: Uint8Array) => Array.from(bytes, (byte) => hexDigits[byte]).join(""),
      fromJson: (digits: string) => Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)),
    };
  },
};

/** The same; null when there are none. */
export const hex: Kind<string | null> = {
  nullable: true,
  at: (slot) => ({
    ...digest.at(slot),
    toJson: (bytes: Uint8Array) => (bytes.length === 0 ? null : Array.from(bytes, (byte) => hexDigits[byte]).join("")),
  }),
};

/** The same, as hashes of evidence are written. */
export const evidenceHash: Kind<string | null> = {
  nullable: true,
  at: (slot) => {
    const { toJson } = hex.at(slot);
    return {
      schema: () => ({ type: "string", description: "sha256:<64 hex digits>" }),
      toJson: (bytes: never) => {
        const digits = toJson?.(bytes) ?? null;
        return digits === null ? null : `sha256:${String(digits)}`;
      },
    };
  },
};

/** A JSON object of any members that travels as a text. */
export const objectInText: Kind<JsonObject> = {
  at: (slot) => {
    demand(slot, slot.many === undefined && isText(slot), "a text");
    return {
      schema: () => ({ type: "object" }),
      toJson: (json: string) => JSON.parse(json) as unknown,
      fromJson: (object: JsonObject) => JSON.stringify(object),
      cleared: "null",
    };
  },
};

/** A JSON object of any members that travels as bytes of UTF-8, in the form that `write` gives it. */
export const objectInBytes = (write: (object: JsonObject) => string): Kind<JsonObject> => ({
  at: (slot) => {
    demand(slot, slot.many === undefined && slot.scalar === ScalarType.BYTES, "bytes");
    return {
      schema: () => ({ type: "object" }),
      fromJson: (object: JsonObject) => new TextEncoder().encode(write(object)),
    };
  },
});

/** The smallest PNG there is. */
export const onePixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** A few bytes in Base64. */
export const base64: Kind<string> = {
  at: (slot) => {
    demand(slot, slot.many === undefined && slot.scalar === ScalarType.BYTES, "bytes");
    return { schema: () => ({ type: "string" }), toJson: (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes)) };
  },
};

/** Texts by keys of the customer's own, as a JSON object that travels as a text. */
export const textsInText: Kind<Readonly<Record<string, string>>> = {
  at: (slot) => ({
    ...(objectInText as Kind<unknown>).at(slot),
    schema: (direction) =>
      direction === "answer"
        ? { type: "object", additionalProperties: { type: "string" } }
        : {
            type: "object",
            maxProperties: 50,
            propertyNames: { minLength: 1, maxLength: 500 },
            additionalProperties: { type: "string", minLength: 0, maxLength: 500 },
          },
  }),
};

/** A moment that the contract has in seconds since 1970. */
export const unixTime: Kind<string> = {
  at: (slot) => ({
    ...bigCount.at(slot),
    schema: () => ({ type: "string", format: "date-time" }),
    toJson: (seconds: bigint) => new Date(Number(seconds) * 1_000).toISOString(),
  }),
};

/** Bytes of UTF-8 that are shown as a text. */
export const bytesAsText: Kind<string> = {
  at: (slot) => {
    demand(slot, slot.many === undefined && slot.scalar === ScalarType.BYTES, "bytes");
    return { schema: () => ({ type: "string" }), toJson: (bytes: Uint8Array) => new TextDecoder().decode(bytes) };
  },
};

/** A JSON object of any members. */
export const anyObject: Kind<JsonObject> = plain(
  "an object",
  ({ message }) => message?.typeName === "google.protobuf.Struct",
  () => ({ type: "object" }),
);

type EnumNames<Enum> = Exclude<keyof Enum & string, "UNSPECIFIED">;
/** How the names of an enum are written: DATE_SIGNED, date_signed, dateSigned or date-signed. */
type Style = "upper" | "lower" | "camel" | "dashed";
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<Camel<Rest>>}`
  : Lowercase<Name>;
type Dashed<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}-${Dashed<Rest>}`
  : Lowercase<Name>;
type Styled<Name extends string, As extends Style> = {
  upper: Name;
  lower: Lowercase<Name>;
  camel: Camel<Name>;
  dashed: Dashed<Name>;
}[As];

const styles: Readonly<Record<Style, (name: string) => string>> = {
  upper: (name) => name,
  lower: (name) => name.toLowerCase(),
  camel: (name) => name.toLowerCase().replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
  dashed: (name) => name.toLowerCase().replaceAll("_", "-"),
};

/** How the values of an enum are called. */
export const namesOf = (values: Readonly<Record<string, string | number>>, style: Style = "upper"): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    typeof value === "number" && value !== 0 ? [styles[style](name)] : [],
  );

/** The same values, which the description of the interface does not list. */
export const unlisted = <Name extends string>(kind: Kind<Name>): Kind<Name> => ({
  ...kind,
  at: (slot) => ({ ...kind.at(slot), schema: () => ({ type: "string" }) }),
});

/** A value of an enum by its name; null for UNSPECIFIED and for values of a later contract. */
export function named<Enum extends Readonly<Record<string, number>>, const As extends Style = "upper">(
  values: Enum,
  style: As = "upper" as As,
  only?: readonly EnumNames<Enum>[],
): Kind<Styled<EnumNames<Enum>, As>> {
  const wanted: readonly string[] = only ?? Object.keys(values).filter((name) => values[name] !== 0);
  return called(
    values,
    Object.fromEntries(wanted.map((name) => [styles[style](name), values[name] as number])),
  ) as Kind<Styled<EnumNames<Enum>, As>>;
}

/** The same, by names that are not those of the contract. */
export function called<const Names extends Readonly<Record<string, number>>>(
  values: Readonly<Record<string, number>>,
  names: Names,
): Kind<keyof Names & string> {
  const known = Object.entries(names);
  const byName = new Map<string, number>(known);
  const byValue = new Map<number, string>(known.map(([name, value]) => [value, name]));
  const numbers = JSON.stringify(Object.entries(values));
  return {
    at: (slot) => {
      const declared = JSON.stringify((slot.values ?? []).map(({ name, number }) => [name, number]));
      demand(slot, slot.many === undefined && declared === numbers, `one of ${[...byName.keys()]}`);
      return {
        schema: () => ({ type: "string", enum: [...byName.keys()] }),
        toJson: (value: number) => byValue.get(value) ?? null,
        fromJson: (name: string) => byName.get(name),
      };
    },
  };
}

const itemsOf = ({ rules }: Slot): readonly [number, number] =>
  rules?.type.case === "repeated" ? [Number(rules.type.value.minItems), Number(rules.type.value.maxItems)] : [0, 0];

/** A list, or a message that holds only a list, where the contract distinguishes an absent list from an empty one. */
export const list = <Shown, Sent>(items: Kind<Shown, Sent>): Kind<readonly Shown[], readonly Sent[]> => ({
  at: (slot) => {
    const [only, ...others] = slot.many === undefined ? (slot.message?.fields ?? []) : [];
    if (only !== undefined && others.length === 0) {
      const { schema, toJson = (values) => values, fromJson = (values) => values } = list(items).at(slotOf(only));
      return {
        schema,
        toJson: (message: Readonly<Record<string, never>>) => toJson(message[only.localName] as never),
        fromJson: (values: never) => ({ [only.localName]: fromJson(values) }),
      };
    }
    const { schema, toJson, fromJson } = items.at(itemOf(slot, "list"));
    const [minItems, maxItems] = itemsOf(slot);
    return {
      schema: (direction) => ({
        type: "array",
        items: schema(direction),
        ...(minItems === 0 || direction === "answer" ? {} : { minItems }),
        ...(maxItems === 0 || direction === "answer" ? {} : { maxItems }),
      }),
      toJson: toJson && ((values: readonly never[]) => values.map(toJson)),
      fromJson: fromJson && ((values: readonly never[]) => values.map(fromJson)),
    };
  },
});

/** Values by keys of the customer's own. */
export const mapOf = <Shown>(
  values: Kind<Shown>,
  { max, key }: { readonly max: number; readonly key: number },
): Kind<Readonly<Record<string, Shown>>> => ({
  at: (slot) => {
    const { schema } = values.at(itemOf(slot, "map"));
    return {
      schema: (direction) => ({
        type: "object",
        ...(direction === "answer" ? {} : { maxProperties: max, propertyNames: { minLength: 1, maxLength: key } }),
        additionalProperties: schema(direction),
      }),
    };
  },
});

/** Null where the message has nothing. */
export const orNull = <Shown, Sent>(kind: Kind<Shown, Sent>): Kind<Shown | null, Sent | null> => ({
  ...(kind as Kind<Shown | null, Sent | null>),
  nullable: true,
});

/** Null also where the message has an empty text or zero. */
export const filledOrNull = <Shown extends string | number>(
  kind: Kind<Shown>,
  blank: "" | 0 = "",
): Kind<Shown | null> => ({
  ...orNull(kind),
  blank,
});

/** The schema of a value that may be null. */
export const nullableSchema = ({ type, enum: values, ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  type: [type, "null"].flat(),
  ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
});

/** The same, with words for its schema. */
export const described = <Shown, Sent>(kind: Kind<Shown, Sent>, description: string): Kind<Shown, Sent> => ({
  ...kind,
  at: (slot) => {
    const codec = kind.at(slot);
    return { ...codec, schema: (direction) => ({ ...codec.schema(direction), description }) };
  },
});
