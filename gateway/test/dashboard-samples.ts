import { UserRole } from "#gen/assent/auth/v1/users_pb.ts";
import { newId } from "#platform/ids.ts";
import { goodLink, goodPassword } from "./fake-users.ts";
import type { SampleRequest } from "./sample-requests.ts";
import type { TestGateway } from "./test-gateway.ts";

/** For operations of the dashboard whose example of the description would be refused. */
export const dashboardSamples: Readonly<Record<string, () => SampleRequest>> = {
  changePassword: () => ({ body: { currentPassword: goodPassword, newPassword: "a staple of horses and batteries" } }),
  acceptInvitation: () => ({ body: { token: goodLink, password: goodPassword } }),
  resetPassword: () => ({ body: { token: goodLink, password: goodPassword } }),
};

/** One of everything that paths of the dashboard name; the session is that of the user. */
export function createDashboardResources({ auth: { people } }: TestGateway, orgId: string): Record<string, string> {
  const { userId, sessionId } = people.signIn(orgId, UserRole.VIEWER);
  return {
    member: userId,
    userSession: sessionId,
    passkey: people.addPasskey(orgId),
    apiKey: people.addCredential(orgId, newId().slice(0, 16)),
    client: people.addCredential(orgId, `cl_${newId().slice(0, 22)}`),
  };
}
