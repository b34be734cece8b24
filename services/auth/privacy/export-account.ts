import { type ExportedUser, exportedUser } from "#api/exported.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { jsonFile, schemaFile } from "#platform/export-page.ts";
import { findAccounts } from "./own-people.ts";

export interface PersonToExport {
  readonly email: string;
  readonly userRef: string;
}

export interface ExportedPage {
  readonly files: readonly { readonly path: string; readonly title: string; readonly content: Uint8Array }[];
  readonly nextCursor: string;
}

/** The accounts of the dashboard that have the address or the id, with what was done with them. */
export async function exportAccounts(tenant: Tenant, person: PersonToExport): Promise<ExportedPage> {
  const { orgId, client } = tenant;
  const ids = (await findAccounts(tenant, person)).map(({ id }) => id);
  const { rows } = await client.query<{ account: ExportedUser }>(accountSql, [orgId, ids]);
  if (rows.length === 0) return { files: [], nextCursor: "" };
  const files = [
    schemaFile("account", "An account of the dashboard", exportedUser.schemas.answer),
    ...rows.map(({ account }) =>
      jsonFile(`data/accounts/${account.id}.json`, "Account of the dashboard", () => account),
    ),
  ];
  const read = files.map(async (file) => ({ ...file, content: await file.read() }));
  return { files: await Promise.all(read), nextCursor: "" };
}

const iso = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const maxActs = 10_000;

const accountSql = `select json_build_object(
    'id', u.user_id, 'email', u.email, 'name', u.name, 'role', u.role, 'status', u.status, 'locale', u.locale,
    'timeZone', u.time_zone, 'notices', u.notices, 'hasPassword', u.password_hash is not null, 'secondFactorSince', ${iso("u.totp_enabled_at")},
    'createdAt', ${iso("u.created_at")}, 'lastLoginAt', ${iso("u.last_login_at")},
    'passkeys', coalesce((select json_agg(json_build_object('name', p.name, 'createdAt', ${iso("p.created_at")},
        'lastUsedAt', ${iso("p.last_used_at")}) order by p.created_at, p.passkey_id)
      from auth.passkey p where p.organization_id = u.organization_id and p.user_id = u.user_id), '[]'),
    'sessions', coalesce((select json_agg(json_build_object('createdAt', ${iso("s.created_at")},
        'lastSeenAt', ${iso("s.last_seen_at")}, 'ip', s.ip, 'userAgent', s.user_agent) order by s.created_at)
      from auth.user_session s where s.organization_id = u.organization_id and s.user_id = u.user_id), '[]'),
    'acts', coalesce((select json_agg(json_build_object('at', ${iso("a.at")}, 'action', a.action,
        'by', a.actor_id = u.user_id::text,
        'ip', case when a.actor_id = u.user_id::text then a.ip end,
        'userAgent', case when a.actor_id = u.user_id::text then a.user_agent end) order by a.event_id desc)
      from (select * from auth.audit_event a where a.organization_id = u.organization_id
        and u.user_id::text in (a.actor_id, a.subject_id) order by a.event_id desc limit ${maxActs}) a), '[]')
  ) as account
  from auth.user_account u where u.organization_id = $1 and u.user_id = any($2) order by u.user_id`;
