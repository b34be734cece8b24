import pg from "pg";
import { identifier, literal } from "#platform/db/ddl.ts";

/**
 * Lets a login take on every role of the services, and nothing else: it inherits none of their rights and owns nothing.
 * What the services log in with, so that only the migration knows the owner. Safe to run again. `ownerUrl` is the
 * migration's login, which made the roles; fails when the login does not exist.
 */
export async function allowServiceRoles(ownerUrl: string, login: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: "assent-migrate" });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select role.rolname as name from pg_catalog.pg_auth_members as made
       join pg_catalog.pg_roles as role on role.oid = made.roleid
       where made.member = current_user::regrole and made.admin_option and role.rolname like 'assent\\_%'
         and not role.rolcanlogin and not pg_catalog.pg_has_role(${literal(login)}, role.oid, 'set')
       order by 1`,
    );
    for (const { name } of rows) {
      await client.query(`grant ${identifier(name)} to ${identifier(login)} with inherit false, set true`);
    }
  } finally {
    await client.end();
  }
}
