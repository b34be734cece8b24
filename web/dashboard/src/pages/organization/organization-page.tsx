import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { AuditTrail } from "./audit-trail.tsx";
import { SealCertificate } from "./seal-certificate.tsx";
import { SettingsForm } from "./settings-form.tsx";
import "../access/access.css";

/** The organization: its settings, what it may use, its seal, and for owners what has happened in it. */
export function OrganizationPage() {
  const texts = useTexts("organization");
  const { organization, can } = useSession();
  const isOwner = can("dashboard:admin");
  const settings = useSettings();
  const plan = texts.plans.get(organization.plan) ?? organization.plan;
  return (
    <Page title={texts.title}>
      <Section title={texts.details}>
        {isOwner && <SettingsForm />}
        <Facts
          facts={[
            ...(isOwner ? [] : settings),
            [texts.id, <code key="id">{organization.id}</code>],
            [texts.created, <Time key="created" value={organization.createdAt} />],
          ]}
        />
      </Section>
      <Section title={texts.limits} intro={texts.planHelp}>
        <Facts facts={[[texts.plan, organization.sandbox ? `${plan} (${texts.sandbox})` : plan], ...useLimits()]} />
        <p className="quiet">{texts.limitsHelp}</p>
      </Section>
      <SealCertificate />
      {isOwner && <AuditTrail />}
    </Page>
  );
}

function useSettings(): (readonly [string, string])[] {
  const texts = useTexts("organization");
  const { name, locale, timeZone } = useSession().organization;
  const languages = new Intl.DisplayNames(useLanguage().locale, { type: "language", fallback: "code" });
  return [
    [texts.name, name],
    [texts.locale, locale === null ? texts.ofBrowser : (languages.of(locale) ?? locale)],
    [texts.timeZone, timeZone ?? texts.ofBrowser],
  ];
}

function useLimits(): (readonly [string, string])[] {
  const { limitNames, perMinute } = useTexts("organization");
  const { limits } = useSession().organization;
  const numbers = new Intl.NumberFormat(useLanguage().locale);
  return (["accept", "render", "sign", "other"] as const).map((group) => [
    limitNames[group],
    perMinute(numbers.format(limits[group])),
  ]);
}
