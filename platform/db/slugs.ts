import type { EntityManager } from "@mikro-orm/postgresql";
import { DomainError } from "../errors.ts";
import { numberedSlug } from "../slug.ts";
import { isUniqueViolation } from "./errors.ts";
import type { OrmTenant } from "./orm.ts";

/** True when the error says that the slug of a template was taken. */
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

/** Which of the candidates living templates have. */
type FindTaken<EM extends EntityManager> = (
  tenant: OrmTenant<EM>,
  candidates: readonly string[],
) => Promise<readonly { readonly slug: string }[]>;

/**
 * For each of the slugs the first of slug, slug-2, slug-3 … that no template has; all that are found differ. Creations from
 * the same slug wait for each other until the end of their transactions; a client who chooses the result by hand at the
 * same moment can still come first.
 */
export const createFreeSlugs =
  <EM extends EntityManager>(service: string, findTaken: FindTaken<EM>) =>
  async (tenant: OrmTenant<EM>, slugs: readonly string[]): Promise<string[]> => {
    // All transactions lock in the same order, so that they cannot deadlock.
    for (const slug of [...new Set(slugs)].sort()) {
      const lock = `${service}.slug ${tenant.orgId} ${slug}`;
      await tenant.em.execute("select pg_advisory_xact_lock(hashtextextended(?, 0))", [lock]);
    }
    const taken = new Set<string>();
    const searches = new Map<string, AsyncGenerator<string, never>>();
    const found: string[] = [];
    for (const slug of slugs) {
      const search = searches.get(slug) ?? candidatesFrom((some) => findTaken(tenant, some), slug, taken);
      searches.set(slug, search);
      const { value } = await search.next();
      taken.add(value);
      found.push(value);
    }
    return found;
  };

/** The slugs that are free, one after the other; learns from the database in ever larger steps. */
async function* candidatesFrom(
  find: (candidates: readonly string[]) => Promise<readonly { readonly slug: string }[]>,
  slug: string,
  taken: Set<string>,
): AsyncGenerator<string, never> {
  for (let first = 1, count = 16; ; first += count, count *= 2) {
    const candidates = Array.from({ length: count }, (_, index) => numberedSlug(slug, first + index));
    for (const row of await find(candidates)) taken.add(row.slug);
    for (const candidate of candidates) if (!taken.has(candidate)) yield candidate;
  }
}
