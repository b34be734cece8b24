import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { scalarZeroValue } from "@bufbuild/protobuf/reflect";
import { describedAs, implicitPresence, pathOf, stepsTo, type Values } from "./answers.ts";
import { type Codec, type JsonSchema, nullableSchema, slotOf } from "./kinds.ts";
import type { Member, Table } from "./members.ts";

type Body = Readonly<Record<string, unknown>>;

interface Row {
  readonly name: string;
  readonly member: Member;
  readonly steps: readonly DescField[];
  readonly codec: Codec;
}

export function sentOf(direction: "create" | "change", table: Table, request: DescMessage, within: string | undefined) {
  const hasMask = direction === "create" || request.field.updateMask !== undefined;
  const holder = within === undefined ? undefined : (stepsTo(request, within)[0] as DescField);
  const members = Object.entries(table).filter(([, member]) => member[direction] !== undefined);
  const rows: Row[] = [];
  const groups: { readonly name: string; readonly schema: JsonSchema; write(body: Body, into: Values): unknown }[] = [];
  const properties: Record<string, JsonSchema> = {};
  for (const [name, member] of members) {
    const kind = member.sentAs ?? member.kind;
    const isNullable = kind.nullable === true || member.nullIn.has(direction);
    let schema: JsonSchema;
    if (member.apart !== undefined) {
      schema = member.apart;
    } else if (member.group !== undefined) {
      const inner = sentOf("create", member.group.table, request, within);
      groups.push({ name, ...inner });
      schema = inner.schema;
    } else {
      const message = holder === undefined || member.beside ? request : (holder.message as DescMessage);
      const steps = stepsTo(message, member.at ?? name);
      const codec = kind.at(slotOf(steps.at(-1) as DescField));
      rows.push({ name, member, steps, codec });
      schema = codec.schema(direction);
    }
    properties[name] = describedAs(isNullable ? nullableSchema(schema) : schema, member, direction);
  }
  const writersOf = (some: readonly Row[]) =>
    some.flatMap((row) =>
      hasMask && row.member.nullIs === undefined ? [writerOf(row)] : [writerOf(row), clearerOf(row)],
    );
  const beside = writersOf(rows.filter(({ member }) => member.beside));
  const inside = writersOf(rows.filter(({ member }) => !member.beside));
  const defaults = direction === "create" ? rows.flatMap(defaultOf) : [];
  return {
    rows,
    schema: {
      type: "object",
      properties,
      required: members.filter(([, member]) => member[direction] === "required").map(([name]) => name),
    },
    pathsIn: (body: Body) =>
      rows.flatMap(({ name, member, steps }) => (!member.beside && Object.hasOwn(body, name) ? [pathOf(steps)] : [])),
    write: (body: Body, into: Values) => {
      const place = holder === undefined ? into : heldIn(into, holder.localName);
      for (const write of inside) write(body, place);
      for (const fill of defaults) fill(place);
      for (const write of beside) write(body, into);
      for (const { name, write } of groups) if (body[name] != null) write(body[name] as Body, into);
      return into;
    },
  };
}

/** Writes a member where its message has it. What is absent or null is not written, and means its default. */
function writerOf({ name, steps, codec }: Row): (body: Body, into: Values) => void {
  const convert = codec.fromJson as ((value: unknown) => unknown) | undefined;
  const put = putterOf(steps);
  return (body, into) => {
    const value = body[name];
    if (value !== undefined && value !== null) put(into, convert === undefined ? value : convert(value));
  };
}

/** Writes the empty value for null where no field mask distinguishes null from an absent member. */
function clearerOf({ name, steps, codec }: Row): (body: Body, into: Values) => void {
  const last = steps.at(-1) as DescField;
  const zero = last.fieldKind === "scalar" ? scalarZeroValue(last.scalar, false) : last.fieldKind === "enum" ? 0 : {};
  const nothing = codec.cleared ?? zero;
  const put = putterOf(steps);
  return (body, into) => {
    if (body[name] === null) put(into, nothing);
  };
}

/** A service takes a flag that nobody gave for false, so another default has to be said. */
function defaultOf({ member, steps }: Row): ((into: Values) => void)[] {
  const last = steps.at(-1) as DescField;
  if (member.default === undefined || last.presence !== implicitPresence || last.fieldKind !== "scalar") return [];
  const put = putterOf(steps);
  return [(into) => put(into, member.default)];
}

/** What is there already stays: the first of several names counts. */
function putterOf(steps: readonly DescField[]): (into: Values, value: unknown) => void {
  const [first, ...others] = steps as readonly [DescField, ...DescField[]];
  const { localName, oneof } = first;
  if (others.length > 0) {
    const inner = putterOf(others);
    return (into, value) => inner(heldIn(into, localName), value);
  }
  if (oneof === undefined) {
    return (into, value) => {
      into[localName] ??= value;
    };
  }
  return (into, value) => {
    into[oneof.localName] = { case: localName, value };
  };
}

/** The message within another, which is made when it is not there yet. */
function heldIn(into: Values, name: string): Values {
  into[name] ??= {};
  return into[name] as Values;
}

/**
 * What the body calls a place of the request: the longest one of the table that leads there, and what is within it. The
 * members of a request may be in a message of their own.
 */
export function namedIn(rows: readonly Row[], holder: string, said: string): string {
  const path = said.startsWith(`${holder}.`) ? said.slice(holder.length + 1) : said;
  let best: { readonly name: string; readonly rest: string } = { name: path, rest: "" };
  let length = 0;
  for (const { name, steps } of rows) {
    for (const place of [pathOf(steps), steps.map(({ jsonName }) => jsonName).join(".")]) {
      const rest = path.slice(place.length);
      if (place.length > length && path.startsWith(place) && (rest === "" || /^[.[]/.test(rest))) {
        best = { name, rest };
        length = place.length;
      }
    }
  }
  return best.name + best.rest;
}
