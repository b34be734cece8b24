import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { AuditTrail } from "./audit-trail.tsx";
import "../access/access.css";

/** The organization: its name, what it may use, and for owners what has happened in it. */
export function OrganizationPage() {
  const texts = useTexts("organization");
  const { organization, can } = useSession();
  const isOwner = can("dashboard:admin");
  const plan = texts.plans.get(organization.plan) ?? organization.plan;
  return (
    <Page title={texts.title}>
      <Section title={texts.details}>
        {isOwner && <NameForm />}
        <Facts
          facts={[
            ...(isOwner ? [] : [[texts.name, organization.name] as const]),
            [texts.id, <code key="id">{organization.id}</code>],
            [texts.created, <Time key="created" value={organization.createdAt} />],
          ]}
        />
      </Section>
      <Section title={texts.limits} intro={texts.planHelp}>
        <Facts facts={[[texts.plan, organization.sandbox ? `${plan} (${texts.sandbox})` : plan], ...useLimits()]} />
        <p className="quiet">{texts.limitsHelp}</p>
      </Section>
      {isOwner && <AuditTrail />}
    </Page>
  );
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

function NameForm() {
  const texts = useTexts("organization");
  const { save, saved } = useTexts("common");
  const api = useApi();
  const { organization, refresh } = useSession();
  const [isSaved, setIsSaved] = useState(false);
  return (
    <Form
      submit={save}
      aside={isSaved && <Notice tone="success">{saved}</Notice>}
      onSubmit={async (values) => {
        setIsSaved(false);
        await api.send("PATCH", "/v1/dashboard/organization", { name: values.text("name").trim() });
        await refresh();
        setIsSaved(true);
      }}
    >
      <TextField name="name" label={texts.name} defaultValue={organization.name} maxLength={255} isRequired />
    </Form>
  );
}
