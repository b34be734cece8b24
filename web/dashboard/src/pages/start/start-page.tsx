import { Link } from "../../app/router.tsx";
import { type Session, useSession } from "../../app/session.tsx";
import { type Texts, useTexts } from "../../texts/texts.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { useOverview } from "./overview.ts";
import { Today } from "./today.tsx";
import "./start.css";

/** Who is here, what happens today, and what comes next. */
export function StartPage() {
  const texts = useTexts("start");
  const { roles } = useTexts("frame");
  const session = useSession();
  const { user, organization, role } = session;
  const baseUrl = window.location.origin;
  const hasEndpoints = (useOverview().data?.webhooks?.endpoints ?? 0) > 0;
  const steps = nextSteps(session, texts, hasEndpoints);
  return (
    <Page title={texts.hello(user.name)} intro={texts.intro(organization.name, roles[role])}>
      <Today />
      {steps.length > 0 && (
        <Section title={texts.nextTitle}>
          <ul className="steps">
            {steps.map(({ to, title, text }) => (
              <li key={to}>
                <Link to={to} className="step">
                  <strong>{title}</strong>
                  <span>{text}</span>
                </Link>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title={texts.apiTitle} intro={texts.apiText}>
        <CopyLine text={`curl -s ${baseUrl}/v1/click/templates -H "Authorization: Bearer $API_KEY"`} />
        <Facts
          facts={[
            [texts.baseUrl, <code key="url">{baseUrl}</code>],
            [texts.organizationId, <code key="id">{organization.id}</code>],
            [
              texts.reference,
              <a key="docs" href="/docs">
                {baseUrl}/docs
              </a>,
            ],
          ]}
        />
      </Section>
    </Page>
  );
}

function nextSteps({ can, user }: Session, texts: Texts["start"], hasEndpoints: boolean) {
  return [
    { to: "/account", isOpen: !user.totpEnabled, title: texts.factorTitle, text: texts.factorText },
    { to: "/api-keys", isOpen: can("dashboard:write"), title: texts.keyTitle, text: texts.keyText },
    { to: "/webhooks", isOpen: can("webhooks:write") && !hasEndpoints, title: texts.hookTitle, text: texts.hookText },
    { to: "/people", isOpen: can("dashboard:admin"), title: texts.peopleTitle, text: texts.peopleText },
  ].filter(({ isOpen }) => isOpen);
}
