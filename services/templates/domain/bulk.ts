import type { Template } from "./template.ts";

/** The ids in the form they are stored in and in the order they came, each once. */
export const distinctIds = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))];

const maxNameLength = 255;
const placeholder = "{name}";

export const defaultNamePattern = `${placeholder} (copy)`;

/**
 * The name of a copy: the pattern with the source's name for every {name}. When that is too long, the source's name is
 * cut and the pattern kept, so that what tells the copy apart is never lost. Lengths count characters as people do.
 */
export function copyName(pattern: string, name: string): string {
  const pieces = pattern.split(placeholder);
  const insertions = pieces.length - 1;
  if (insertions === 0) return pattern;
  const room = maxNameLength - Array.from(pieces.join("")).length;
  return pieces.join(
    Array.from(name)
      .slice(0, Math.floor(room / insertions))
      .join(""),
  );
}

/** What a copy takes over: everything that says what the template is, nothing that says what became of it. */
export const copyTemplate = (
  source: Template,
  by: { readonly id: string; readonly name: string; readonly clientId: string; readonly now: Date },
): Omit<Template, "organizationId" | "slug"> => ({
  id: by.id,
  name: by.name,
  type: source.type,
  description: source.description,
  defaultLocale: source.defaultLocale,
  typeConfig: source.typeConfig,
  policyFlags: source.policyFlags,
  counterparty: source.counterparty,
  metadata: source.metadata,
  createdBy: by.clientId,
  firstPublishedAt: null,
  archivedAt: null,
  deletedAt: null,
  createdAt: by.now,
  updatedAt: by.now,
});
