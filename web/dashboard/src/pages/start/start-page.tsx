import type { Agreement } from "#api/agreements.ts";
import type { Overview } from "#api/overview.ts";
import "./start.css";
import "../access/access.css";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useApi } from "../../api/client.ts";
import { Link } from "../../app/router.tsx";
import { type Session, useSession } from "../../app/session.tsx";
import { type Texts, useLanguage, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { ChartBars, ChartColumns, ChartMeter, useNumbers } from "../../ui/charts.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { Facts, NumberTiles, Page, Section } from "../../ui/page.tsx";
import { Loaded } from "../access/parts.tsx";

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
    {
      to: "/account",
      isOpen: !user.totpEnabled && user.passkeys === 0,
      title: texts.factorTitle,
      text: texts.factorText,
    },
    { to: "/api-keys", isOpen: can("dashboard:write"), title: texts.keyTitle, text: texts.keyText },
    { to: "/webhooks", isOpen: can("webhooks:write") && !hasEndpoints, title: texts.hookTitle, text: texts.hookText },
    { to: "/people", isOpen: can("dashboard:admin"), title: texts.peopleTitle, text: texts.peopleText },
  ].filter(({ isOpen }) => isOpen);
}

/** What happens in the organization on the day that it is for the person. */
function Today() {
  const texts = useTexts("start");
  const { locale, timeZone } = useLanguage();
  const overview = useOverview();
  const day = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeZone }).format(new Date());
  return (
    <Section title={texts.today} intro={texts.todayIntro(day, timeZone.replaceAll("_", " "))}>
      <Loaded query={overview}>
        {({ acceptances, agreements, generation, webhooks }) => (
          <div className="cards">
            <Card title={texts.acceptances} to="/acceptances" link={texts.allAcceptances} isBroad>
              {acceptances && <Acceptances part={acceptances} />}
            </Card>
            <Card title={texts.agreements} to="/agreements" link={texts.allAgreements}>
              {agreements && <Agreements part={agreements} />}
            </Card>
            <Card title={texts.generation} to="/generation/usage" link={texts.usage}>
              {generation && <Generation part={generation} />}
            </Card>
            <Card title={texts.webhooks} to="/webhooks" link={texts.allEndpoints}>
              {webhooks && <WebhooksToday part={webhooks} />}
            </Card>
          </div>
        )}
      </Loaded>
    </Section>
  );
}

interface CardProps {
  readonly title: string;
  readonly to: string;
  /** The words of the link to more. */
  readonly link: string;
  readonly isBroad?: boolean;
  /** Null when its service could not be reached. */
  readonly children: ReactNode;
}

function Card({ title, to, link, isBroad = false, children }: CardProps) {
  const { away } = useTexts("start");
  return (
    <section className={isBroad ? "card card-broad" : "card"}>
      <header>
        <h3>{title}</h3>
        <Link to={to}>{link}</Link>
      </header>
      {children ?? <p className="quiet">{away}</p>}
    </section>
  );
}

type PartOf<Name extends keyof Overview> = { readonly part: NonNullable<Overview[Name]> };

function Acceptances({ part: { acceptances, declines, hours } }: PartOf<"acceptances">) {
  const texts = useTexts("start");
  const { locale, timeZone } = useLanguage();
  const { count } = useNumbers();
  const written = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", timeZone });
  return (
    <>
      <NumberTiles
        tiles={[
          { name: texts.accepted, value: count(acceptances) },
          { name: texts.declined, value: count(declines) },
        ]}
      />
      {acceptances + declines === 0 ? (
        <p className="quiet">{texts.nothingAccepted}</p>
      ) : (
        <ChartColumns
          label={texts.byHour(count(acceptances), count(declines))}
          pointName={texts.hour}
          series={[texts.accepted, texts.declined]}
          points={hours.map(({ hour, ...decided }) => {
            const time = written.format(new Date(hour));
            return { id: hour, title: time, axis: time, values: [decided.acceptances, decided.declines] };
          })}
        />
      )}
    </>
  );
}

/** In the order in which agreements go through them. */
const statuses: readonly Agreement["status"][] = [
  "created",
  "sent",
  "delivered",
  "completing",
  "completed",
  "declined",
  "voided",
  "expired",
];

function Agreements({ part: { byStatus, sentToday, completedToday, declinedToday } }: PartOf<"agreements">) {
  const texts = useTexts("start");
  const { count } = useNumbers();
  const bars = statuses
    .map((id) => ({ id, label: texts.statuses[id], value: byStatus[id] }))
    .filter(({ value }) => value > 0);
  return (
    <>
      <NumberTiles
        tiles={[
          { name: texts.sent, value: count(sentToday) },
          { name: texts.completed, value: count(completedToday) },
          { name: texts.declined, value: count(declinedToday) },
        ]}
      />
      {bars.length === 0 ? (
        <p className="quiet">{texts.noAgreements}</p>
      ) : (
        <>
          <h4>{texts.byStatus}</h4>
          <ChartBars label={texts.byStatus} bars={bars} />
        </>
      )}
    </>
  );
}

function Generation({ part: { plan, hour, minute } }: PartOf<"generation">) {
  const texts = useTexts("start");
  const { plans } = useTexts("organization");
  const { count } = useNumbers();
  const meter = (label: string, { used, limit }: typeof hour) => (
    <ChartMeter label={label} value={used} limit={limit} words={texts.ofLimit(count(used), count(limit))} />
  );
  return (
    <>
      <p>{texts.planOf(plans.get(plan) ?? plan)}</p>
      {meter(texts.thisHour, hour)}
      {meter(texts.thisMinute, minute)}
    </>
  );
}

/** Whether the organization's programs are told what happens, and where to look when they are not. */
function WebhooksToday({ part }: { readonly part: NonNullable<Overview["webhooks"]> }) {
  const texts = useTexts("start");
  const { count } = useNumbers();
  const { endpoints, failing, disabled, undeliveredToday } = part;
  if (endpoints === 0) return <p className="quiet">{texts.noEndpoints}</p>;
  return (
    <>
      <NumberTiles
        tiles={[
          { name: texts.endpoints, value: count(endpoints) },
          { name: texts.undelivered, value: count(undeliveredToday) },
        ]}
      />
      <p className="badges">
        {failing > 0 && <Badge tone="warning">{texts.failing(failing)}</Badge>}
        {disabled > 0 && <Badge tone="danger">{texts.disabled(disabled)}</Badge>}
        {failing + disabled === 0 && <Badge tone="success">{texts.allWell}</Badge>}
      </p>
      {undeliveredToday > 0 && <Link to="/webhooks/deliveries">{texts.failedDeliveries}</Link>}
    </>
  );
}

/** Often enough to be watched, and no burden. */
const refreshMs = 30_000;

/** What happens on the day that it is for the person. */
function useOverview() {
  const { timeZone } = useLanguage();
  const api = useApi();
  return useQuery({
    queryKey: ["overview", timeZone],
    queryFn: () => api.get<Overview>("/v1/dashboard/overview", { timeZone }),
    refetchInterval: refreshMs,
  });
}
