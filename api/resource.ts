import type { DescField, DescMessage, MessageShape } from "@bufbuild/protobuf";
import { scalarZeroValue } from "@bufbuild/protobuf/reflect";
import { describedAs, implicitPresence, pathOf, shownOf, stepsTo, type Values } from "./answers.ts";
import {
  type Codec,
  type Direction,
  type InitOf,
  type JsonSchema,
  type Kind,
  nullableSchema,
  slotOf,
} from "./kinds.ts";
import type { AnswerOf, ChangeOf, CreateOf, Member, ShownBy, Table } from "./members.ts";

/** What answers show of a message. */
export interface Shown<A extends DescMessage, T extends Table> {
  readonly message: A;
  readonly table: T;
  readonly schemas: { readonly answer: JsonSchema };
  /** Members that are shown on demand are those that are asked for; what no message has is given. */
  answer(message: Fields<MessageShape<A>>, ...asked: Empty extends Asked<T> ? [Asked<T>?] : [Asked<T>]): AnswerOf<T>;
}

/** The same, and what bodies say of it. */
export interface Resource<A extends DescMessage, T extends Table, C extends DescMessage, U extends DescMessage>
  extends Shown<A, T> {
  readonly schemas: Readonly<Record<Direction, JsonSchema>>;
  /** The request that a body asks for. */
  create(body: CreateOf<T>): InitOf<C>;
  /**
   * The same of a change, with its mask: a member that is null is in it without a value. Where the contract has no mask,
   * it has its empty value.
   */
  change(body: ChangeOf<T>): InitOf<U>;
  /** Where the body has what a service calls by its place in the message. */
  bodyPath(path: string): string;
}

/** Of a message, of whatever type it is. */
type Fields<M> = Omit<M, "$typeName" | "$unknown">;
export type Asked<T extends Table> = {
  readonly [Name in keyof T as T[Name] extends { readonly onDemand: true } ? Name : never]?: boolean | undefined;
} & {
  readonly [Name in keyof T as T[Name] extends { readonly given: JsonSchema } ? Name : never]: ShownBy<T[Name]>;
};
type Empty = Record<never, never>;

interface Requests<C extends DescMessage, U extends DescMessage> {
  /** What creates it; the message itself when nothing is said. */
  readonly create?: C;
  readonly change?: U;
  /** The field of both requests that holds the members; of those that change, `changes` when nothing is said. */
  readonly within?: string;
  /** What the schema of the body that creates says beside its members. */
  readonly also?: JsonSchema;
}

/** Of bodies where a misspelt member would do more, or something else, than was meant: it is refused. */
export const closed: JsonSchema = { additionalProperties: false };

/**
 * What REST shows of a message, declared once. Everything that passes between the two is derived here when the process
 * starts, which a table that does not fit its messages stops.
 */
export function resource<
  A extends DescMessage,
  const T extends Table,
  C extends DescMessage = A,
  U extends DescMessage = never,
>(message: A, table: T, requests: Requests<C, U> = {}): Resource<A, T, C, U> {
  const { create, change, within, also } = requests;
  const created = sentOf("create", table, create ?? message, create === undefined ? undefined : within);
  const isMasked = change?.field.updateMask !== undefined;
  const changed =
    change === undefined ? created : sentOf("change", table, change, isMasked ? (within ?? "changes") : within);
  const rows = [...created.rows, ...changed.rows];
  const answers = shown(message, table);
  return {
    ...answers,
    schemas: { ...answers.schemas, create: { ...created.schema, ...also }, change: changed.schema },
    create: (body) => created.write(body, {}) as InitOf<C>,
    change: (body) =>
      changed.write(body, isMasked ? { updateMask: { paths: changed.pathsIn(body) } } : {}) as InitOf<U>,
    bodyPath: (path) => namedIn(rows, within ?? "changes", path),
  };
}

/** What answers show of a message that nobody sends. */
export function shown<A extends DescMessage, const T extends Table>(message: A, table: T): Shown<A, T> {
  const { schema, read } = shownOf(message, table);
  return { message, table, schemas: { answer: schema }, answer: read as Shown<A, T>["answer"] };
}

/** What is within another message. */
interface Nested<T extends Table> {
  readonly message: DescMessage;
  readonly table: T;
  readonly schemas: { readonly answer: JsonSchema; readonly create?: JsonSchema };
  answer(message: never): unknown;
  create?(body: never): unknown;
}

/** A message within another, as a resource of its own. */
export const nested = <T extends Table>({
  message,
  schemas,
  answer,
  create,
}: Nested<T>): Kind<AnswerOf<T>, CreateOf<T>> => ({
  at: (slot) => {
    if (slot.many !== undefined || slot.message !== message) throw new Error(`${slot.name} is no ${message.typeName}`);
    return {
      schema: (direction) => (direction === "answer" ? schemas.answer : (schemas.create ?? {})),
      toJson: (value: never) => answer(value),
      fromJson: create,
    };
  },
});

/** The items of a list as the members of an object, by one of their fields. */
export const keyed = <A extends DescMessage, T extends Table>(
  { message, schemas, answer }: Shown<A, T>,
  key: keyof MessageShape<A> & string,
): Kind<Readonly<Record<string, AnswerOf<T>>>> => ({
  at: (slot) => {
    if (slot.many !== "list" || slot.message !== message) throw new Error(`${slot.name} is no list`);
    return {
      schema: () => ({ type: "object", additionalProperties: schemas.answer }),
      toJson: (items: readonly MessageShape<A>[]) =>
        Object.fromEntries(
          items.map((item) => [String(item[key]), (answer as unknown as (item: unknown) => unknown)(item)]),
        ),
    };
  },
});

type Body = Readonly<Record<string, unknown>>;

interface Row {
  readonly name: string;
  readonly member: Member;
  readonly steps: readonly DescField[];
  readonly codec: Codec;
}

function sentOf(direction: "create" | "change", table: Table, request: DescMessage, within: string | undefined) {
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
function namedIn(rows: readonly Row[], holder: string, said: string): string {
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
