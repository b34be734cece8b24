import { describedAs } from "./answers.ts";
import { freeSlot, type JsonSchema, type Kind, nullableSchema } from "./kinds.ts";
import type { AnswerOf, Table } from "./members.ts";

/** What a service writes as JSON itself, and everybody passes on as it is. */
export interface Written<T extends Table> {
  readonly table: T;
  readonly schemas: { readonly answer: JsonSchema };
}

/** Declares such JSON: the service that writes it and the dashboard that reads it take its type from here. */
export function written<const T extends Table>(table: T, description?: string): Written<T> {
  const members = Object.entries(table).map(([name, member]) => {
    const { schema } = member.kind.at(freeSlot);
    const said = schema("answer");
    return { name, member, schema: describedAs(member.kind.nullable ? nullableSchema(said) : said, member, "answer") };
  });
  const answer = {
    type: "object",
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    required: members.filter(({ member }) => !member.onDemand && !member.leftOut).map(({ name }) => name),
    ...(description === undefined ? {} : { description }),
  };
  return { table, schemas: { answer } };
}

/** A part of such JSON. */
export const part = <T extends Table>({ schemas }: Written<T>): Kind<AnswerOf<T>> => ({
  at: () => ({ schema: () => schemas.answer }),
});

/** Such JSON as a text in a message. */
export const inText = <T extends Table>({ schemas }: Written<T>): Kind<AnswerOf<T>> => ({
  at: () => ({ schema: () => schemas.answer, toJson: (text: string) => JSON.parse(text) as unknown }),
});

/** The schema of an object that has the members of all of these. */
export const joined = (...parts: readonly { readonly schemas: { readonly answer: JsonSchema } }[]): JsonSchema => ({
  type: "object",
  properties: Object.assign({}, ...parts.map(({ schemas }) => schemas.answer.properties)),
  required: parts.flatMap(({ schemas }) => schemas.answer.required as readonly string[]),
});
