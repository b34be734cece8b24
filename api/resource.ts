import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { shownOf } from "./answers.ts";
import { namedIn, sentOf } from "./bodies.ts";
import type { Direction, InitOf, JsonSchema, Kind } from "./kinds.ts";
import type { AnswerOf, ChangeOf, CreateOf, ShownBy, Table } from "./members.ts";

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
