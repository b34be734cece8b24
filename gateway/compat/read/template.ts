import { defined } from "#api/spelling.ts";
import { type DefinitionContext, type DefinitionInit, readDefinition } from "./definition.ts";
import type { Reader } from "./reader.ts";

/** An `EnvelopeTemplate`. Older clients say name, description and shared in an object of their own. */
export function readTemplate(body: Reader, context: DefinitionContext): DefinitionInit {
  const facts = [body, body.object("envelopeTemplateDefinition")];
  const first = <Value>(read: (reader: Reader) => Value | undefined): Value | undefined =>
    facts.map((reader) => (reader === undefined ? undefined : read(reader))).find((value) => value !== undefined);
  return defined({
    ...readDefinition(body, context),
    name: first((reader) => reader.text("name")),
    description: first((reader) => reader.text("description")),
    shared: first((reader) => reader.flag("shared")),
  });
}
