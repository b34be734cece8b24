import { type ComponentType, lazy } from "react";

export interface PageParams {
  /** The values of the names in the path. */
  readonly params: ReadonlyMap<string, string>;
}

export interface Route {
  /** Below /dashboard, with names in braces. */
  readonly path: string;
  /** What the role must allow; public pages are for those who are not logged in. */
  readonly scope: string;
  readonly page: ComponentType<PageParams>;
}

const publicly = "public";

/** All pages; each is loaded when it is shown first. */
export const routes: readonly Route[] = [
  {
    path: "/login",
    scope: publicly,
    page: later(async () => (await import("../pages/entry/login-page.tsx")).LoginPage),
  },
  {
    path: "/forgot",
    scope: publicly,
    page: later(async () => (await import("../pages/entry/forgot-page.tsx")).ForgotPage),
  },
  {
    path: "/reset",
    scope: publicly,
    page: later(async () => (await import("../pages/entry/reset-page.tsx")).ResetPage),
  },
  {
    path: "/invitation",
    scope: publicly,
    page: later(async () => (await import("../pages/entry/invitation-page.tsx")).InvitationPage),
  },
  {
    path: "/",
    scope: "dashboard:read",
    page: later(async () => (await import("../pages/start/start-page.tsx")).StartPage),
  },
  {
    path: "/webhooks",
    scope: "webhooks:read",
    page: later(async () => (await import("../pages/webhooks/endpoints-page.tsx")).EndpointsPage),
  },
  {
    path: "/webhooks/endpoints/{id}",
    scope: "webhooks:read",
    page: later(async () => (await import("../pages/webhooks/endpoint-page.tsx")).EndpointPage),
  },
  {
    path: "/webhooks/deliveries",
    scope: "webhooks:read",
    page: later(async () => (await import("../pages/webhooks/deliveries-page.tsx")).DeliveriesPage),
  },
  {
    path: "/webhooks/deliveries/{id}",
    scope: "webhooks:read",
    page: later(async () => (await import("../pages/webhooks/delivery-page.tsx")).DeliveryPage),
  },
  {
    path: "/api-keys",
    scope: "dashboard:read",
    page: later(async () => (await import("../pages/keys/keys-page.tsx")).KeysPage),
  },
  {
    path: "/clients",
    scope: "dashboard:read",
    page: later(async () => (await import("../pages/clients/clients-page.tsx")).ClientsPage),
  },
  {
    path: "/people",
    scope: "dashboard:admin",
    page: later(async () => (await import("../pages/people/people-page.tsx")).PeoplePage),
  },
  {
    path: "/organization",
    scope: "dashboard:read",
    page: later(async () => (await import("../pages/organization/organization-page.tsx")).OrganizationPage),
  },
  {
    path: "/account",
    scope: "dashboard:read",
    page: later(async () => (await import("../pages/account/account-page.tsx")).AccountPage),
  },
];

export const isPublic = ({ scope }: Route): boolean => scope === publicly;

function later(load: () => Promise<ComponentType<PageParams>>): ComponentType<PageParams> {
  return lazy(async () => ({ default: await load() }));
}
