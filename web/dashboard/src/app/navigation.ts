import type { Texts } from "../texts/texts.tsx";
import type { IconName } from "../ui/icon.tsx";

export interface NavigationItem {
  readonly path: string;
  readonly text: keyof Texts["frame"] &
    (
      | "start"
      | "templates"
      | "acceptances"
      | "agreements"
      | "generation"
      | "apiKeys"
      | "clients"
      | "webhooks"
      | "people"
      | "organization"
      | "account"
    );
  readonly icon: IconName;
  readonly scope: string;
}

export interface NavigationGroup {
  readonly title?: "groupWork" | "groupDevelop" | "groupOrganization";
  readonly items: readonly NavigationItem[];
}

/** What the navigation leads to; everybody sees what their role lets them open. */
export const navigation: readonly NavigationGroup[] = [
  { items: [{ path: "/", text: "start", icon: "home", scope: "dashboard:read" }] },
  {
    title: "groupWork",
    items: [
      { path: "/templates", text: "templates", icon: "template", scope: "click:read" },
      { path: "/acceptances", text: "acceptances", icon: "receipt", scope: "click:read" },
      { path: "/agreements", text: "agreements", icon: "sign", scope: "sign:read" },
      { path: "/generation", text: "generation", icon: "generate", scope: "gen:read" },
    ],
  },
  {
    title: "groupDevelop",
    items: [
      { path: "/api-keys", text: "apiKeys", icon: "key", scope: "dashboard:read" },
      { path: "/clients", text: "clients", icon: "client", scope: "dashboard:read" },
      { path: "/webhooks", text: "webhooks", icon: "hook", scope: "webhooks:read" },
    ],
  },
  {
    title: "groupOrganization",
    items: [
      { path: "/people", text: "people", icon: "people", scope: "dashboard:admin" },
      { path: "/organization", text: "organization", icon: "building", scope: "dashboard:read" },
      { path: "/account", text: "account", icon: "person", scope: "dashboard:read" },
    ],
  },
];
