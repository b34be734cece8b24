import type { ReactNode } from "react";
import { Link } from "../../app/router.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { ChartBars, ChartMeter } from "../../ui/chart-bars.tsx";
import { ChartColumns } from "../../ui/chart-columns.tsx";
import { NumberTiles } from "../../ui/number-tiles.tsx";
import { Section } from "../../ui/page.tsx";
import { useNumbers } from "../../ui/use-numbers.ts";
import { Loaded } from "../access/loaded.tsx";
import { type AgreementStatus, type Overview, useOverview } from "./overview.ts";
import { WebhooksToday } from "./webhooks-today.tsx";
import "../access/access.css";
import "./start.css";

/** What happens in the organization on the day that it is for the person. */
export function Today() {
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
const statuses: readonly AgreementStatus[] = [
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
