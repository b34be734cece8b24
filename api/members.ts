import type { JsonSchema, Kind } from "./kinds.ts";

type Presence = "required" | "optional";
type Words = string | { readonly create?: string; readonly change?: string; readonly answer?: string };

/** A row of a table: what REST calls something, its type, where it stands in the message and who may write it. */
export interface Member<Shown = unknown, OnCreate = unknown, OnChange = unknown> {
  readonly kind: Kind<unknown>;
  readonly sentAs?: Kind<unknown> | undefined;
  readonly at?: string | undefined;
  readonly create: Presence | undefined;
  readonly change: Presence | undefined;
  readonly answers: boolean;
  readonly onDemand: boolean;
  readonly leftOut: boolean;
  readonly nullIs?: "empty";
  readonly beside: boolean;
  readonly default?: unknown;
  readonly nullIn: ReadonlySet<string>;
  readonly description?: Words | undefined;
  readonly example?: unknown;
  readonly answerExample?: unknown;
  readonly compute?: { readonly schema: JsonSchema; readonly read: (message: never) => unknown };
  readonly group?: { readonly table: Table; readonly unless?: string };
  readonly apart?: JsonSchema;
  readonly given?: JsonSchema;
  readonly shown?: Shown;
  readonly onCreate?: OnCreate;
  readonly onChange?: OnChange;
}

// biome-ignore lint/suspicious/noExplicitAny: the members of a table have types of their own
export type Table = Readonly<Record<string, Member<any, any, any>>>;

interface More<Shown> {
  /** Where it stands in the message, "texts.consentText"; as it is called when nothing is said. */
  readonly at?: string;
  /** The value in answers when the message has none. Bodies may send null for it. */
  readonly default?: Shown;
  /** Whether bodies may say null although answers never do. */
  readonly null?: "create" | "both" | "never";
  /** Whether null is not the same as absent: it means the empty value, as texts have one. */
  readonly nullIs?: "empty";
  /** Answers leave it out when the message has nothing. */
  readonly leftOut?: true;
  /** Answers show it only when it is asked for. */
  readonly onDemand?: true;
  /** The kind of bodies, where they accept less than answers show. */
  readonly sentAs?: Kind<unknown>;
  readonly description?: Words;
  readonly example?: unknown;
  /** Of answers, when they have another. */
  readonly answerExample?: unknown;
}

type ShownIn<K> = K extends Kind<infer Shown, infer _Sent> ? Shown : never;
type SentIn<K> = K extends Kind<infer _Shown, infer Sent> ? Sent : never;
type SentBy<K, M> = M extends { readonly sentAs: infer Other } ? SentIn<Other> : SentIn<K>;
type NullOnCreate<M> = M extends { readonly null: "never" }
  ? never
  : M extends { readonly null: string } | { readonly default: unknown }
    ? null
    : never;
type NullOnChange<M> = M extends { readonly null: "create" } ? never : NullOnCreate<M>;
type Full<K, M> = Member<ShownIn<K>, SentBy<K, M> | NullOnCreate<M>, SentBy<K, M> | NullOnChange<M>>;
type OnDemand<M> = M extends { readonly onDemand: true } ? { readonly onDemand: true } : unknown;
type LeftOut<M> = M extends { readonly leftOut: true } ? { readonly leftOut: true } : unknown;
type Hidden = { readonly answers: false };
type Creates<P> = { readonly create: P };
type Changes = { readonly change: "optional" };
// biome-ignore lint/suspicious/noExplicitAny: any type of JSON
type AnyKind = Kind<any, any>;

function memberOf(kind: AnyKind, more: More<unknown>, rest: Partial<Member>): Member {
  const { null: nulls, ...said } = more;
  const mayBeNull = more.default !== undefined && rest.create !== "required";
  const allowed = nulls ?? (mayBeNull ? "both" : undefined);
  const nullIn = new Set(allowed === "both" ? ["create", "change"] : allowed === "create" ? ["create"] : []);
  const usual = { create: undefined, change: undefined, answers: true, onDemand: false, leftOut: false, beside: false };
  return { ...usual, ...said, kind, nullIn, ...rest };
}

/** Only answers have it. */
export const readOnly = <K extends AnyKind, const M extends More<ShownIn<K>>>(kind: K, more: M = {} as M) =>
  memberOf(kind, more, {}) as Full<K, M> & OnDemand<M> & LeftOut<M>;

/** Whoever creates has to say it; it can be changed. */
export const required = <K extends AnyKind, const M extends More<ShownIn<K>>>(kind: K, more: M = {} as M) =>
  memberOf(kind, more, { create: "required", change: "optional" }) as Full<K, M> & Creates<"required"> & Changes;

/** Whoever creates may say it; it can be changed. */
export const optional = <K extends AnyKind, const M extends More<ShownIn<K>>>(kind: K, more: M = {} as M) =>
  memberOf(kind, more, { create: "optional", change: "optional" }) as Full<K, M> & Creates<"optional"> & Changes;

/** Whoever creates has to say it; it never changes. */
export const requiredForGood = <K extends AnyKind, const M extends More<ShownIn<K>>>(kind: K, more: M = {} as M) =>
  memberOf(kind, more, { create: "required" }) as Full<K, M> & Creates<"required">;

/** Whoever creates may say it; it never changes. */
export const optionalForGood = <K extends AnyKind, const M extends More<ShownIn<K>>>(kind: K, more: M = {} as M) =>
  memberOf(kind, more, { create: "optional" }) as Full<K, M> & Creates<"optional">;

/** Only changes may say it. */
export const changeable = <K extends AnyKind, const M extends More<ShownIn<K>>>(kind: K, more: M = {} as M) =>
  memberOf(kind, more, { change: "optional" }) as Full<K, M> & Changes;

/** A member of the request that creates the resource; it is not stored. */
export const whenCreating = <K extends AnyKind, const M extends More<ShownIn<K>>>(kind: K, more: M = {} as M) =>
  memberOf(kind, more, { create: "optional", answers: false, beside: true }) as Full<K, M> &
    Creates<"optional"> &
    Hidden;

/** A member of the request that changes the resource; it is not stored. */
export const whenChanging = <K extends AnyKind, const M extends More<ShownIn<K>>>(kind: K, more: M = {} as M) =>
  memberOf(kind, more, { change: "optional", answers: false, beside: true }) as Full<K, M> & Changes & Hidden;

/** A part of a body that no message has: who asks reads it there. */
export const apart = <Sent>(schema: JsonSchema) =>
  memberOf({} as AnyKind, {}, { create: "optional", answers: false, apart: schema }) as Member<unknown, Sent, never> &
    Creates<"optional"> &
    Hidden;

/** The same, that has to be there. */
export const requiredApart = <Sent>(schema: JsonSchema) =>
  ({ ...apart<Sent>(schema), create: "required" }) as unknown as Member<unknown, Sent, never> &
    Creates<"required"> &
    Hidden;

/** Made of the message; the schema is that of its type. */
export const computed = <Shown, Message>(
  schema: JsonSchema,
  read: (message: Message) => Shown,
  more: Pick<More<Shown>, "description" | "example"> = {},
) => memberOf({} as AnyKind, more, { compute: { schema, read } }) as Member<Shown, never, never>;

/** A member of the answer that is in no message: the route passes it in. */
export const given = <Shown>(schema: JsonSchema, more: Pick<More<Shown>, "description" | "example"> = {}) =>
  memberOf({} as AnyKind, more, { given: schema }) as Member<Shown, never, never> & { readonly given: JsonSchema };

/** The members of a message that another one holds, in answers that show them as its own. */
export const inside = <const T extends Table>(holder: string, table: T): T =>
  Object.fromEntries(
    Object.entries(table).map(([name, member]) => [
      name,
      {
        ...member,
        at: `${holder}.${member.at ?? name}`,
        ...(member.compute && {
          compute: { ...member.compute, read: (of: never) => member.compute?.read((of as never)[holder]) },
        }),
      },
    ]),
  ) as unknown as T;

/** Members that REST puts into an object; the object is null while the named member is. */
export const grouped = <const T extends Table>(
  table: T,
  unless: keyof T & string,
  more: Pick<More<unknown>, "description" | "example" | "answerExample"> = {},
) =>
  memberOf({ nullable: true } as AnyKind, more, {
    group: { table, unless },
    create: "optional",
    change: "optional",
  }) as Member<AnswerOf<T> | null, CreateOf<T> | null, CreateOf<T> | null> & Creates<"optional"> & Changes;

/** The same, of members that always have a value. */
export const together = <const T extends Table>(table: T) =>
  memberOf({} as AnyKind, { null: "both" }, { group: { table }, create: "optional", change: "optional" }) as Member<
    AnswerOf<T>,
    CreateOf<T> | null,
    CreateOf<T> | null
  > &
    Creates<"optional"> &
    Changes;

type Plain<T> = { [Name in keyof T]: T[Name] };
type Names<T, Having, But = never> = {
  [Name in keyof T]: T[Name] extends But ? never : T[Name] extends Having ? Name : never;
}[keyof T];
export type ShownBy<M> = M extends Member<infer Shown, infer _C, infer _U> ? Shown : never;
type OnCreateBy<M> = M extends Member<infer _S, infer OnCreate, infer _U> ? OnCreate : never;
type OnChangeBy<M> = M extends Member<infer _S, infer _C, infer OnChange> ? OnChange : never;

type Sometimes = { readonly onDemand: true } | { readonly leftOut: true };

/** What answers say; of a table. */
export type AnswerOf<T extends Table> = Plain<
  { readonly [Name in Exclude<Names<T, Member, Hidden>, Names<T, Sometimes>>]: ShownBy<T[Name]> } & {
    readonly [Name in Names<T, Sometimes>]?: ShownBy<T[Name]>;
  }
>;

/** What a body says that creates. */
export type CreateOf<T extends Table> = Plain<
  { readonly [Name in Names<T, Creates<"required">>]: OnCreateBy<T[Name]> } & {
    readonly [Name in Names<T, Creates<"optional">>]?: OnCreateBy<T[Name]> | undefined;
  }
>;

/** What a body says that changes. */
export type ChangeOf<T extends Table> = Plain<{
  readonly [Name in Names<T, Changes>]?: OnChangeBy<T[Name]> | undefined;
}>;
