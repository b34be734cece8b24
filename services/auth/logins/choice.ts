import type { MessageInitShape } from "@bufbuild/protobuf";
import type { OrganizationChoiceSchema } from "#gen/assent/auth/v1/users_pb.ts";
import { withOrg } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { findOrganizationName } from "../store/user-store.ts";

/** For somebody who may log in to several organizations: which ones. */
export async function choiceOf(
  { people }: Pick<AuthDeps, "people">,
  users: readonly { readonly orgId: OrgId }[],
): Promise<MessageInitShape<typeof OrganizationChoiceSchema>> {
  const optionOf = async ({ orgId }: { readonly orgId: OrgId }) => ({
    organizationId: orgId,
    name: await withOrg(people, orgId, (client) => findOrganizationName(orgId, client)),
  });
  return { options: await Promise.all(users.map(optionOf)) };
}
