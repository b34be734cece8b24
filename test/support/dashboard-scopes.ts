/** The dashboard's own table: which scope of a session each operation needs. */
export const documentedDashboardScopes: Readonly<Record<string, string>> = {
  logout: "dashboard:read",
  getDashboardSession: "dashboard:read",
  changePassword: "dashboard:read",
  getSecondFactor: "dashboard:read",
  beginTotp: "dashboard:read",
  confirmTotp: "dashboard:read",
  disableTotp: "dashboard:read",
  replaceRecoveryCodes: "dashboard:read",
  listUserSessions: "dashboard:read",
  revokeOtherSessions: "dashboard:read",
  revokeUserSession: "dashboard:read",
  listUsers: "dashboard:admin",
  inviteUser: "dashboard:admin",
  inviteUserAgain: "dashboard:admin",
  // Of oneself; of others it is dashboard:admin.
  updateUser: "dashboard:read",
  removeUser: "dashboard:admin",
  listApiKeys: "dashboard:read",
  createApiKey: "dashboard:write",
  revokeApiKey: "dashboard:write",
  listClients: "dashboard:read",
  createClient: "dashboard:write",
  rotateClientSecret: "dashboard:write",
  revokeClient: "dashboard:write",
  getOrganization: "dashboard:read",
  updateOrganization: "dashboard:admin",
  listDashboardAuditEvents: "dashboard:admin",
  getOverview: "dashboard:read",
};

/** Where people who are not known yet find their way in. */
export const publicDashboardOperations: readonly string[] = [
  "login",
  "continueLogin",
  "listLoginMethods",
  "beginOidcLogin",
  "finishOidcLogin",
  "requestPasswordReset",
  "resetPassword",
  "acceptInvitation",
];
