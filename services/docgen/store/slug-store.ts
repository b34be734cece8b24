import { isUniqueViolation, type OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { numberedSlug } from "#platform/slug.ts";
import { TemplateEntity } from "./orm.ts";

/** True when the error says that the slug was taken. */
export const isSlugTaken = (error: unknown): boolean => isUniqueViolation(error, "template_slug_key");

/** A derived slug is lost only to somebody who chose it by hand at the same moment; then the next one is taken. */
const maxAttempts = 10;

/** Runs a transaction that writes a derived slug, again when it was lost. */
export async function withDerivedSlug<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (!isSlugTaken(error)) throw error;
      if (attempt === maxAttempts) throw new DomainError("SERVICE_UNAVAILABLE", { cause: error });
    }
  }
}

/**
 * The first of slug, slug-2, slug-3 … that no living template has. Creations from the same slug wait for each other until
 * the end of their transactions; a client who chooses the result by hand at the same moment can still come first.
 */
export async function freeSlug({ orgId, em }: OrmTenant, slug: string): Promise<string> {
  await em.execute("select pg_advisory_xact_lock(hashtextextended(?, 0))", [`docgen.slug ${orgId} ${slug}`]);
  // Learns from the database in ever larger steps.
  for (let first = 1, count = 16; ; first += count, count *= 2) {
    const candidates = Array.from({ length: count }, (_, index) => numberedSlug(slug, first + index));
    const rows = await em.find(
      TemplateEntity,
      { organizationId: orgId, slug: { $in: candidates }, deletedAt: null },
      { fields: ["slug"], disableIdentityMap: true },
    );
    const taken = new Set(rows.map((row) => row.slug));
    const free = candidates.find((candidate) => !taken.has(candidate));
    if (free !== undefined) return free;
  }
}
