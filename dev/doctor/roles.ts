import { type Finding, type Installation, notice, ok, type Query, wrong } from "./finding.ts";

/** What each process appends to its role to name the others that it takes on. */
export const roleSuffixes: ReadonlyMap<string, readonly string[]> = new Map([
  ["gateway", [""]],
  ["auth", ["", "_lookup", "_janitor", "_relay", "_eraser", "_remover", "_resealer", "_destroyer"]],
  ["templates", ["", "_resolver", "_relay", "_destroyer"]],
  ["docgen", ["", "_claimer", "_relay", "_destroyer"]],
  ["click", ["", "_recorder", "_relay", "_sweeper", "_integrator", "_eraser", "_resealer", "_destroyer"]],
  [
    "sign",
    ["", "_claimer", "_verifier", "_sweeper", "_searcher", "_remover", "_relay", "_eraser", "_resealer", "_destroyer"],
  ],
  ["webhooks", ["", "_claimer", "_fan_out", "_sender", "_sweeper", "_relay", "_resealer", "_destroyer"]],
]);

/** The role of a process; undefined when it stays the login. */
export function roleOf(installation: Installation, program: string): string | undefined {
  const role = installation.text("DATABASE_ROLE") ?? `assent_${program}`;
  return role === "-" ? undefined : role;
}

/** Whether the login may take on every role of these processes, and no more than these. */
export async function checkRoles(installation: Installation, query: Query): Promise<Finding[]> {
  const names = installation.programs.flatMap(({ title }) => {
    const role = roleOf(installation, title);
    return role === undefined ? [] : (roleSuffixes.get(title) ?? []).map((suffix) => role + suffix);
  });
  const found = await query<{ name: string; usable: boolean; mighty: boolean }>(
    `select rolname as name, pg_catalog.pg_has_role(oid, 'set') as usable, rolsuper or rolbypassrls as mighty
     from pg_catalog.pg_roles where rolname = any($1)`,
    [names],
  );
  const known = new Map(found.map((role) => [role.name, role]));
  const missing = names.filter((name) => !known.has(name));
  const closed = found.filter(({ usable }) => !usable).map(({ name }) => name);
  const mighty = found.filter((role) => role.mighty).map(({ name }) => name);
  const findings: Finding[] = [];
  if (missing.length > 0) {
    findings.push(wrong("roles", `there is no role ${missing.join(", ")}`, "Run npm run migrate, which creates them."));
  }
  if (closed.length > 0) {
    findings.push(
      wrong(
        "roles",
        `the login cannot use the role ${closed.join(", ")}`,
        "Run npm run migrate with SERVICE_LOGIN set to this login, or to a role that it is a member of.",
      ),
    );
  }
  if (mighty.length > 0) {
    findings.push(
      wrong("roles", `${mighty.join(", ")} can see all rows`, "Remove superuser and bypassrls from these roles."),
    );
  }
  if (findings.length === 0) findings.push(ok("roles", `the login can use ${names.length} roles`));
  return [...findings, ...(await checkLogin(query))];
}

async function checkLogin(query: Query): Promise<Finding[]> {
  const [login] = await query<{ name: string; super: boolean }>(
    "select rolname as name, rolsuper as super from pg_catalog.pg_roles where rolname = session_user",
  );
  if (login?.super !== true) return [];
  return [
    notice(
      "roles",
      `the login ${login.name} is a superuser`,
      "Use a login that owns nothing for the processes: SERVICE_LOGIN of npm run migrate.",
    ),
  ];
}
