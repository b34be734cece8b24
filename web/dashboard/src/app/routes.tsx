import { type ComponentType, lazy } from "react";

export interface PageParams {
  /** The values of the names in the path. */
  readonly params: ReadonlyMap<string, string>;
}

export interface Route {
  /** Below /dashboard, with names in braces. */
  readonly path: string;
  /** What the role must allow; public pages are for those who are not signed in. */
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
    path: "/templates",
    scope: "click:read",
    page: later(async () => (await import("../pages/templates/templates-page.tsx")).TemplatesPage),
  },
  {
    path: "/templates/{id}",
    scope: "click:read",
    page: later(async () => (await import("../pages/templates/template-page.tsx")).TemplatePage),
  },
  {
    path: "/templates/{id}/{tab}",
    scope: "click:read",
    page: later(async () => (await import("../pages/templates/template-page.tsx")).TemplatePage),
  },
  {
    path: "/acceptances",
    scope: "click:read",
    page: later(async () => (await import("../pages/acceptances/acceptances-page.tsx")).AcceptancesPage),
  },
  {
    path: "/acceptances/receipts/{receiptId}",
    scope: "click:read",
    page: later(async () => (await import("../pages/acceptances/acceptance-page.tsx")).AcceptancePage),
  },
  {
    path: "/acceptances/people/{userRef}",
    scope: "click:read",
    page: later(async () => (await import("../pages/acceptances/person-page.tsx")).PersonPage),
  },
  {
    path: "/campaigns",
    scope: "click:read",
    page: later(async () => (await import("../pages/campaigns/campaigns-page.tsx")).CampaignsPage),
  },
  {
    path: "/campaigns/{id}",
    scope: "click:read",
    page: later(async () => (await import("../pages/campaigns/campaign-page.tsx")).CampaignPage),
  },
  {
    path: "/agreements",
    scope: "sign:read",
    page: later(async () => (await import("../pages/agreements/agreements-page.tsx")).AgreementsPage),
  },
  {
    path: "/agreements/new",
    scope: "sign:write",
    page: later(async () => (await import("../pages/sending/new-agreement-page.tsx")).NewAgreementPage),
  },
  {
    path: "/agreements/{id}",
    scope: "sign:read",
    page: later(async () => (await import("../pages/agreements/agreement-page.tsx")).AgreementPage),
  },
  {
    path: "/agreements/{id}/correct",
    scope: "sign:write",
    page: later(async () => (await import("../pages/agreements/correct-page.tsx")).CorrectPage),
  },
  {
    path: "/agreements/{id}/prepare",
    scope: "sign:write",
    page: later(async () => (await import("../pages/sending/prepare-page.tsx")).PreparePage),
  },
  {
    path: "/generation",
    scope: "gen:read",
    page: later(async () => (await import("../pages/generation/gen-templates-page.tsx")).GenTemplatesPage),
  },
  {
    path: "/generation/templates/{id}",
    scope: "gen:read",
    page: later(async () => (await import("../pages/generation/gen-template-page.tsx")).GenTemplatePage),
  },
  {
    path: "/generation/documents",
    scope: "gen:read",
    page: later(async () => (await import("../pages/generation/documents-page.tsx")).DocumentsPage),
  },
  {
    path: "/generation/batches",
    scope: "gen:read",
    page: later(async () => (await import("../pages/generation/batches-page.tsx")).BatchesPage),
  },
  {
    path: "/generation/batches/{id}",
    scope: "gen:read",
    page: later(async () => (await import("../pages/generation/batch-page.tsx")).BatchPage),
  },
  {
    path: "/generation/usage",
    scope: "gen:read",
    page: later(async () => (await import("../pages/generation/usage-page.tsx")).UsagePage),
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
    path: "/privacy",
    scope: "privacy:admin",
    page: later(async () => (await import("../pages/privacy/privacy-page.tsx")).PrivacyPage),
  },
  {
    path: "/privacy/{tab}",
    scope: "privacy:admin",
    page: later(async () => (await import("../pages/privacy/privacy-page.tsx")).PrivacyPage),
  },
  {
    path: "/privacy/erasures/{id}",
    scope: "privacy:admin",
    page: later(async () => (await import("../pages/privacy/erasures.tsx")).ErasurePage),
  },
  {
    path: "/brands",
    scope: "sign:read",
    page: later(async () => (await import("../pages/brands/brands-page.tsx")).BrandsPage),
  },
  {
    path: "/brands/{id}",
    scope: "sign:read",
    page: later(async () => (await import("../pages/brands/brand-page.tsx")).BrandPage),
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
