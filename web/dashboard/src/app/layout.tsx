import "./layout.css";
import { type ReactNode, useId, useState } from "react";
import { type Texts, useTexts } from "../texts/texts.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button, Icon, type IconName } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/states.tsx";
import { useAction } from "../ui/use-action.ts";
import { useLeaveBy } from "../ui/use-leave-guard.tsx";
import { Link, usePath } from "./router.tsx";
import { routes } from "./routes.tsx";
import { useSession } from "./session.tsx";
import { type Theme, useTheme } from "./theme.ts";

/** Around the pages of whoever is signed in. */
export function Layout({ children }: { readonly children: ReactNode }) {
  const { skip, menu } = useTexts("frame");
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {skip}
      </a>
      <header className="bar">
        <Brand />
        <Button
          kind="quiet"
          icon={isMenuOpen ? "close" : "menu"}
          aria-expanded={isMenuOpen}
          aria-controls="sidebar"
          onPress={() => setIsMenuOpen(!isMenuOpen)}
        >
          {menu}
        </Button>
      </header>
      <aside id="sidebar" className={isMenuOpen ? "sidebar sidebar-open" : "sidebar"}>
        <div className="sidebar-brand">
          <Brand />
        </div>
        <Where />
        <Navigation onFollow={() => setIsMenuOpen(false)} />
        <Who />
      </aside>
      <main id="content" className="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

export function Brand() {
  const { product } = useTexts("common");
  return (
    <span className="brand">
      <span className="brand-mark">
        <Icon name="check" />
      </span>
      {product}
    </span>
  );
}

function Where() {
  const { organization } = useSession();
  const { sandbox } = useTexts("frame");
  return (
    <div className="where">
      <strong>{organization.name}</strong>
      {organization.sandbox && <Badge>{sandbox}</Badge>}
    </div>
  );
}

function Navigation({ onFollow }: { readonly onFollow: () => void }) {
  const texts = useTexts("frame");
  const { can } = useSession();
  const path = usePath();
  const isOpen = ({ path: to, scope }: NavigationItem) => can(scope) && routes.some((route) => route.path === to);
  return (
    <nav aria-label={texts.navigation}>
      {navigation.map(({ title, items }) => (
        <div key={title ?? ""} className="nav-group">
          {title && items.some(isOpen) && <p className="nav-title">{texts[title]}</p>}
          <ul>
            {items.filter(isOpen).map((item) => (
              <li key={item.path}>
                <Link
                  to={item.path}
                  className="nav-link"
                  onClick={onFollow}
                  aria-current={isAt(path, item.path) ? "page" : undefined}
                >
                  <Icon name={item.icon} />
                  {texts[item.text]}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Who() {
  const texts = useTexts("frame");
  const { user, role, logOut } = useSession();
  const leave = useAction(logOut);
  const leaveBy = useLeaveBy();
  return (
    <div className="who">
      <ThemeChoice />
      <div className="who-name">
        <strong>{user.name}</strong>
        <span className="who-email" title={user.email}>
          {user.email}
        </span>
        <span>{texts.roles[role]}</span>
      </div>
      {leave.error !== undefined && <ErrorNotice error={leave.error} />}
      <Button icon="out" isBusy={leave.isBusy} onPress={() => leaveBy(() => void leave.run())}>
        {texts.logOut}
      </Button>
    </div>
  );
}

/** The page itself, or one below it. */
const isAt = (path: string, to: string): boolean => path === to || (to !== "/" && path.startsWith(`${to}/`));

interface NavigationItem {
  readonly path: string;
  readonly text: keyof Texts["frame"] &
    (
      | "start"
      | "templates"
      | "acceptances"
      | "campaigns"
      | "agreements"
      | "generation"
      | "apiKeys"
      | "clients"
      | "webhooks"
      | "people"
      | "privacy"
      | "brands"
      | "organization"
      | "account"
    );
  readonly icon: IconName;
  readonly scope: string;
}

interface NavigationGroup {
  readonly title?: "groupWork" | "groupDevelop" | "groupOrganization";
  readonly items: readonly NavigationItem[];
}

/** The entries of the navigation; people see those that their role may open. */
const navigation: readonly NavigationGroup[] = [
  { items: [{ path: "/", text: "start", icon: "home", scope: "dashboard:read" }] },
  {
    title: "groupWork",
    items: [
      { path: "/templates", text: "templates", icon: "template", scope: "click:read" },
      { path: "/acceptances", text: "acceptances", icon: "receipt", scope: "click:read" },
      { path: "/campaigns", text: "campaigns", icon: "people", scope: "click:read" },
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
      { path: "/privacy", text: "privacy", icon: "shield", scope: "privacy:admin" },
      { path: "/brands", text: "brands", icon: "brand", scope: "sign:read" },
      { path: "/organization", text: "organization", icon: "building", scope: "dashboard:read" },
      { path: "/account", text: "account", icon: "person", scope: "dashboard:read" },
    ],
  },
];

/** Light, dark, or as the system has it. */
export function ThemeChoice() {
  const texts = useTexts("frame");
  const [theme, choose] = useTheme();
  const id = useId();
  return (
    <div className="theme-choice">
      <label htmlFor={id}>{texts.theme}</label>
      <select id={id} value={theme} onChange={(event) => choose(event.target.value as Theme)}>
        <option value="system">{texts.themeSystem}</option>
        <option value="light">{texts.themeLight}</option>
        <option value="dark">{texts.themeDark}</option>
      </select>
    </div>
  );
}
