import { useMemo, useState } from "react";
import type { Campaign, CampaignPerson } from "#api/campaigns.ts";
import { useApi } from "../../api/client.ts";
import { useSendOnce } from "../../api/send-once.ts";
import { Link, useNavigate } from "../../app/router.tsx";
import type { PageParams } from "../../app/routes.tsx";
import { useSession } from "../../app/session.tsx";
import { useLanguage, useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { EmptyState, ErrorNotice, ErrorState, Loading } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Select, TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { useAction } from "../../ui/use-action.ts";
import { personPath, useTemplateNames } from "../acceptances/queries.ts";
import { languageName } from "../templates/configuration.ts";
import { useVersions } from "../templates/queries.ts";
import { CampaignDialog } from "./campaign-form.tsx";
import { CampaignProgress, CampaignStatus, PeopleDialog } from "./parts.tsx";
import { campaignsPath, useCampaign, useCampaignPeople, useRefreshCampaigns } from "./queries.ts";

export function CampaignPage({ params }: PageParams) {
  const id = params.get("id") ?? "";
  const texts = useTexts("campaigns");
  const { data: campaign, error, refetch } = useCampaign(id);
  return (
    <Page title={campaign?.name ?? texts.campaign} intro={<Link to="/campaigns">{texts.back}</Link>}>
      {campaign === undefined && (error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />)}
      {campaign !== undefined && (
        <>
          <Actions campaign={campaign} />
          <Section title={texts.progress}>
            <CampaignProgress counts={campaign.counts} />
            <CampaignFacts campaign={campaign} />
          </Section>
          <People campaign={campaign} />
        </>
      )}
    </Page>
  );
}

function CampaignFacts({ campaign }: { readonly campaign: Campaign }) {
  const texts = useTexts("campaigns");
  const { data: templates = [] } = useTemplateNames();
  const { templateId, versionId, revision, dueAt, startedAt, nextReminderAt, remindersSent, peopleUntil } = campaign;
  const { data: versions = [] } = useVersions(versionId === null ? "" : templateId);
  const { locale: language } = useLanguage();
  const version = versions.find(({ id }) => id === versionId);
  const inWords = version === undefined ? undefined : languageName(version.locale, language);
  const moment = (value: string) => <Time value={value} zone={campaign.reminders?.timeZone} />;
  const name = templates.find(({ id }) => id === templateId)?.name ?? templateId;
  return (
    <Facts
      facts={[
        [texts.status, <CampaignStatus key="status" campaign={campaign} />],
        [
          texts.template,
          <Link key="text" to={`/templates/${templateId}`}>
            {name}
          </Link>,
        ],
        [texts.asksFor, revision === null ? texts.live : texts.fromRevision(revision, inWords)],
        [texts.due, moment(dueAt)],
        [texts.started, startedAt === null ? "–" : moment(startedAt)],
        [texts.nextReminder, nextReminderAt === null ? "–" : moment(nextReminderAt)],
        [texts.remindersSent, String(remindersSent)],
        [texts.peopleUntil, peopleUntil === null ? texts.whenOver : moment(peopleUntil)],
      ]}
    />
  );
}

type Asked = "change" | "people" | "cancel" | "delete";

/** What may be done with it now. */
function Actions({ campaign }: { readonly campaign: Campaign }) {
  const { id, status, counts } = campaign;
  const texts = useTexts("campaigns");
  const api = useApi();
  const navigate = useNavigate();
  const refresh = useRefreshCampaigns();
  const { can } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const start = useAction(async () => {
    await api.send("POST", `${campaignsPath}/${id}/start`);
    await refresh();
  });
  const cancel = async () => {
    await api.send("POST", `${campaignsPath}/${id}/cancel`);
    await refresh();
  };
  const remove = async () => {
    await api.send("DELETE", `${campaignsPath}/${id}`);
    await refresh();
    navigate("/campaigns");
  };
  const isDraft = status === "DRAFT";
  const mayAdd = isDraft || status === "RUNNING";
  return (
    <>
      {start.error !== undefined && <ErrorNotice error={start.error} />}
      <div className="form-buttons">
        {can("click:write") && (
          <>
            {isDraft && (
              <Button
                kind="primary"
                isBusy={start.isBusy}
                isDisabled={counts.people === 0}
                onPress={() => void start.run()}
              >
                {texts.start}
              </Button>
            )}
            {mayAdd && <Button onPress={() => setAsked("people")}>{texts.addPeople}</Button>}
            {status !== "CANCELLED" && <Button onPress={() => setAsked("change")}>{texts.change}</Button>}
            {isDraft && <Button onPress={() => setAsked("delete")}>{texts.delete}</Button>}
            {!isDraft && status !== "CANCELLED" && <Button onPress={() => setAsked("cancel")}>{texts.cancel}</Button>}
          </>
        )}
        {!isDraft && can("privacy:admin") && <ExportButton campaign={campaign} />}
      </div>
      {asked === "change" && <CampaignDialog campaign={campaign} onClose={close} />}
      {asked === "people" && <PeopleDialog campaign={campaign} onClose={close} />}
      <ConfirmDialog
        title={texts.cancelTitle}
        text={texts.cancelText}
        action={texts.cancel}
        dismiss={texts.keep}
        isOpen={asked === "cancel"}
        onConfirm={cancel}
        onClose={close}
      />
      <ConfirmDialog
        title={texts.deleteTitle}
        text={texts.deleteText}
        action={texts.delete}
        isOpen={asked === "delete"}
        onConfirm={remove}
        onClose={close}
      />
    </>
  );
}

/** The file is made on the page of exports. */
function ExportButton({ campaign: { id } }: { readonly campaign: Campaign }) {
  const texts = useTexts("campaigns");
  const sendOnce = useSendOnce();
  const navigate = useNavigate();
  const { run, isBusy, error } = useAction(async () => {
    await sendOnce("/v1/privacy/exports", { acceptances: { format: "csv", campaignId: id } });
    navigate("/privacy/exports");
  });
  return (
    <>
      <Button isBusy={isBusy} onPress={() => void run()}>
        {texts.exportOutstanding}
      </Button>
      {error !== undefined && <ErrorNotice error={error} />}
    </>
  );
}

const everybody = "*";

function People({ campaign: { id, status } }: { readonly campaign: Campaign }) {
  const texts = useTexts("campaigns");
  const mayRemove = useSession().can("click:write") && status !== "CANCELLED";
  const [removed, setRemoved] = useState<string>();
  const [filter, setFilter] = useState<{ readonly state?: string; readonly userRef?: string }>({});
  const list = useCampaignPeople(id, filter);
  const columns = useMemo(
    (): Column<CampaignPerson>[] => [
      { id: "person", title: texts.person, cell: ({ userRef }) => <Link to={personPath(userRef)}>{userRef}</Link> },
      { id: "state", title: texts.state, cell: ({ state }) => <StateBadge state={state} /> },
      {
        id: "when",
        title: texts.decidedAt,
        cell: ({ decidedAt, receiptId }) => {
          if (decidedAt === null) return "–";
          const time = <Time value={decidedAt} />;
          return receiptId === null ? time : <Link to={`/acceptances/receipts/${receiptId}`}>{time}</Link>;
        },
      },
      ...(mayRemove
        ? [
            {
              ...{ id: "remove", title: texts.remove, align: "end" as const },
              cell: ({ userRef }: CampaignPerson) => (
                <Button kind="quiet" aria-label={`${texts.remove} ${userRef}`} onPress={() => setRemoved(userRef)}>
                  {texts.remove}
                </Button>
              ),
            },
          ]
        : []),
    ],
    [texts, mayRemove],
  );
  const states = Object.entries(texts.states).map(([state, label]) => ({ id: state, label }));
  return (
    <Section title={texts.people}>
      <search className="receipt-search">
        <Form
          submit={texts.find}
          onSubmit={async (values) => {
            const userRef = values.text("userRef").trim();
            setFilter(({ userRef: _, ...rest }) => ({ ...rest, ...(userRef !== "" && { userRef }) }));
          }}
        >
          <TextField name="userRef" type="search" label={texts.person} hint={texts.findHint} maxLength={255} />
          <Select
            label={texts.state}
            options={[
              { id: everybody, label: texts.everybody },
              { id: "OUTSTANDING", label: texts.outstanding },
              ...states,
            ]}
            value={filter.state ?? everybody}
            onChange={(state) =>
              setFilter(({ state: _, ...rest }) => ({ ...rest, ...(state !== everybody && { state: String(state) }) }))
            }
          />
        </Form>
      </search>
      {list.data === undefined ? (
        list.error ? (
          <ErrorState error={list.error} retry={() => void list.refetch()} />
        ) : (
          <Loading />
        )
      ) : (
        <>
          <Table
            label={texts.people}
            columns={columns}
            rows={list.data.pages.flatMap(({ items }) => items)}
            rowKey={({ userRef }) => userRef}
            empty={<EmptyState title={texts.nobodyTitle} text={texts.nobodyText} />}
          />
          <MoreRows list={list} />
        </>
      )}
      <RemovePerson campaignId={id} userRef={removed} onClose={() => setRemoved(undefined)} />
    </Section>
  );
}

interface RemovePersonProps {
  readonly campaignId: string;
  /** Undefined while nobody is to be taken out. */
  readonly userRef: string | undefined;
  readonly onClose: () => void;
}

function RemovePerson({ campaignId, userRef = "", onClose }: RemovePersonProps) {
  const texts = useTexts("campaigns");
  const api = useApi();
  const refresh = useRefreshCampaigns();
  return (
    <ConfirmDialog
      title={texts.removeTitle(userRef)}
      text={texts.removeText}
      action={texts.remove}
      isOpen={userRef !== ""}
      onConfirm={async () => {
        await api.send("DELETE", `${campaignsPath}/${campaignId}/people/${encodeURIComponent(userRef)}`);
        await refresh();
      }}
      onClose={onClose}
    />
  );
}

const tones = { ACCEPTED: "success", ASKED: "info", LISTED: "info" } as const;

function StateBadge({ state }: { readonly state: CampaignPerson["state"] }) {
  const { states } = useTexts("campaigns");
  return (
    <Badge tone={(tones as Readonly<Record<string, "success" | "info">>)[state] ?? "warning"}>{states[state]}</Badge>
  );
}
