import type pg from "pg";
import type { OrgId } from "#platform/ids.ts";
import type { ConsentText } from "../domain/consent-text.ts";

export type KeptConsentText = Pick<ConsentText, "sha256" | "locale" | "content">;

/** Keeps a text under its hash, once. */
export async function keepConsentText(
  orgId: OrgId,
  client: pg.PoolClient,
  { sha256, locale, content }: KeptConsentText,
): Promise<void> {
  await client.query(
    `insert into sign.consent_text (organization_id, sha256, locale, content) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [orgId, sha256, locale, content],
  );
}

/** The texts that the trail of an agreement names, in the order in which they were first consented to. */
export async function listConsentTexts(
  orgId: OrgId,
  client: pg.PoolClient,
  agreementId: string,
): Promise<readonly KeptConsentText[]> {
  const { rows } = await client.query<KeptConsentText>(
    `select t.sha256, t.locale, t.content
     from sign.consent_text t
     join (
       select decode(details ->> 'textSha256', 'hex') as sha256, min(sequence) as sequence from sign.audit_event
       where organization_id = $1 and agreement_id = $2 and action = 'recipient.consented' group by 1
     ) e using (sha256)
     where t.organization_id = $1 order by e.sequence`,
    [orgId, agreementId],
  );
  return rows;
}
