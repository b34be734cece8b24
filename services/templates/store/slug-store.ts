import { isUniqueViolation, type OrmTenant } from "#platform/db/orm.ts";
import { DomainError } from "#platform/errors.ts";
import { numberedSlug } from "../domain/slug.ts";
import { TemplateEntity } from "./orm.ts";

/** True when the error says that the slug was taken. */
export const isSlugTaken = (error: unknown): boolean => isUniqueViolation(error, "template_slug_key");

/** A derived slug is lost only to somebody who chose it by hand at the same moment; then the next one is taken. */
const maxAttempts = 10;

/** Runs a transaction that writes derived slugs, again when one of them was lost. */
export async function withDerivedSlugs<T>(transaction: () => Promise<T>): Promise<T> {
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
 * The first of slug, slug-2, slug-3 … that no template has. Creations from the same slug wait for each other until the
 * end of their transactions; a client who chooses the result by hand at the same moment can still come first.
 */
export async function freeSlug(tenant: OrmTenant, slug: string): Promise<string> {
  const [free = slug] = await freeSlugs(tenant, [slug]);
  return free;
}

/** freeSlug for each of the slugs; all that are found differ. */
export async function freeSlugs(tenant: OrmTenant, slugs: readonly string[]): Promise<string[]> {
  // One order for everybody, so that nobody waits in a circle.
  for (const slug of [...new Set(slugs)].sort()) {
    await tenant.em.execute("select pg_advisory_xact_lock(hashtextextended(?, 0))", [
      `templates.slug ${tenant.orgId} ${slug}`,
    ]);
  }
  const taken = new Set<string>();
  const searches = new Map<string, AsyncGenerator<string, never>>();
  const found: string[] = [];
  for (const slug of slugs) {
    const search = searches.get(slug) ?? candidatesFrom(tenant, slug, taken);
    searches.set(slug, search);
    const { value } = await search.next();
    taken.add(value);
    found.push(value);
  }
  return found;
}

/** The slugs that are free, one after the other; learns from the database in ever larger steps. */
async function* candidatesFrom(
  { orgId, em }: OrmTenant,
  slug: string,
  taken: Set<string>,
): AsyncGenerator<string, never> {
  for (let first = 1, count = 16; ; first += count, count *= 2) {
    const candidates = Array.from({ length: count }, (_, index) => numberedSlug(slug, first + index));
    const rows = await em.find(
      TemplateEntity,
      { organizationId: orgId, slug: { $in: candidates }, deletedAt: null },
      { fields: ["slug"], disableIdentityMap: true },
    );
    for (const row of rows) taken.add(row.slug);
    for (const candidate of candidates) if (!taken.has(candidate)) yield candidate;
  }
}
