import { useState } from "react";
import type { LegalHold } from "#api/privacy.ts";
import { useApi } from "../../api/client.ts";
import { wrongInput } from "../../api/errors.ts";
import { Link, useNavigate, useSearch } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { Form, type FormValues, RadioGroup, Switch } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { MoreRows } from "../../ui/pager.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { atField, Loaded, RowButtons } from "../access/parts.tsx";
import { idPattern, useActorNames, useHolds, useRefresh } from "./queries.ts";

/** What keeps agreements from being deleted and erased. */
export function HoldsTab() {
  const texts = useTexts("privacy");
  const navigate = useNavigate();
  const search = useSearch();
  const isWithLifted = search.get("lifted") === "true";
  const holds = useHolds(isWithLifted);
  // The page of an agreement leads here with its id.
  const setting = search.get("set");
  const [lifting, setLifting] = useState<LegalHold>();
  const columns = useColumns(setLifting);
  const set = (
    <Button kind="primary" onPress={() => navigate("/privacy/holds?set=")}>
      {texts.setHold}
    </Button>
  );
  return (
    <Section title={texts.tabNames.holds} intro={texts.holdsIntro} actions={set}>
      <Switch
        isSelected={isWithLifted}
        onChange={(isOn) => navigate(isOn ? "/privacy/holds?lifted=true" : "/privacy/holds", { replace: true })}
      >
        {texts.withLifted}
      </Switch>
      <Loaded query={holds}>
        {({ pages }) => (
          <Table
            label={texts.tabNames.holds}
            columns={columns}
            rows={pages.flatMap(({ items }) => items)}
            rowKey={({ id }) => id}
            empty={<EmptyState title={texts.noHoldTitle} text={texts.noHoldText} />}
          />
        )}
      </Loaded>
      <MoreRows list={holds} />
      {setting !== null && (
        <SetHoldDialog agreementId={setting} onClose={() => navigate("/privacy/holds", { replace: true })} />
      )}
      {lifting && <LiftDialog hold={lifting} onClose={() => setLifting(undefined)} />}
    </Section>
  );
}

function useColumns(onLift: (hold: LegalHold) => void): readonly Column<LegalHold>[] {
  const texts = useTexts("privacy");
  const nameOf = useActorNames();
  return [
    { id: "reason", title: texts.reason, width: "broad", cell: ({ reason }) => reason },
    { id: "what", title: texts.keeps, cell: (hold) => <Kept hold={hold} /> },
    {
      id: "set",
      title: texts.holdSet,
      cell: ({ createdAt, createdBy }) => <Done at={createdAt} by={nameOf(createdBy)} />,
    },
    {
      id: "state",
      title: texts.state,
      cell: ({ liftedAt, liftedBy }) =>
        liftedAt === null ? (
          <Badge tone="warning">{texts.holding}</Badge>
        ) : (
          <span className="stacked">
            {texts.lifted}
            <Done at={liftedAt} by={nameOf(liftedBy)} />
          </span>
        ),
    },
    {
      id: "buttons",
      title: "",
      align: "end",
      cell: (hold) =>
        hold.liftedAt === null && (
          <RowButtons>
            <Button kind="quiet" aria-label={texts.liftOf(hold.reason)} onPress={() => onLift(hold)}>
              {texts.lift}
            </Button>
          </RowButtons>
        ),
    },
  ];
}

function Kept({ hold: { kind, agreementId } }: { readonly hold: LegalHold }) {
  const texts = useTexts("privacy");
  return (
    <span className="stacked">
      {texts.holdKinds[kind]}
      {agreementId !== null && (
        <small>
          <Link to={`/agreements/${agreementId}`}>{agreementId}</Link>
        </small>
      )}
    </span>
  );
}

function Done({ at, by }: { readonly at: string; readonly by: string }) {
  return (
    <span className="stacked">
      <Time value={at} />
      <small>{by}</small>
    </span>
  );
}

const kinds = ["agreement", "person", "organization"] as const satisfies readonly LegalHold["kind"][];

function SetHoldDialog({ agreementId, onClose }: { readonly agreementId: string; readonly onClose: () => void }) {
  const texts = useTexts("privacy");
  const api = useApi();
  const refresh = useRefresh();
  const [kind, setKind] = useState<LegalHold["kind"]>("agreement");
  const send = async (values: FormValues) => {
    if (kind === "agreement" && !idPattern.test(values.text("agreementId").trim()))
      throw wrongInput(texts.idWrong, "agreementId");
    const about = {
      agreement: { agreementId: values.text("agreementId").trim().toLowerCase() },
      person: { email: values.text("email").trim() },
      organization: {},
    }[kind];
    await atField(api.send("POST", "/v1/privacy/holds", { ...about, reason: values.text("reason").trim() }), {
      ...{ code: "ENVELOPE_NOT_FOUND", field: "agreementId" },
      message: texts.noSuchAgreement,
    });
    await refresh();
    onClose();
  };
  return (
    <Dialog title={texts.setHold} isOpen onClose={onClose}>
      <Form submit={texts.setHold} onSubmit={send} onCancel={onClose}>
        <RadioGroup
          label={texts.keeps}
          value={kind}
          onChange={(chosen) => setKind(kinds.find((one) => one === chosen) ?? "agreement")}
          options={kinds.map((id) => ({ id, label: texts.holdKinds[id], hint: texts.holdMeanings[id] }))}
        />
        {kind === "agreement" && (
          <TextField
            name="agreementId"
            label={texts.agreementId}
            hint={texts.agreementIdHint}
            defaultValue={agreementId}
            maxLength={36}
            isRequired
            autoComplete="off"
          />
        )}
        {kind === "person" && (
          <TextField
            name="email"
            type="email"
            label={texts.email}
            hint={texts.holdEmailHint}
            maxLength={320}
            isRequired
            autoComplete="off"
          />
        )}
        <TextField name="reason" label={texts.reason} hint={texts.holdReasonHint} rows={2} maxLength={500} isRequired />
      </Form>
    </Dialog>
  );
}

function LiftDialog({ hold, onClose }: { readonly hold: LegalHold; readonly onClose: () => void }) {
  const texts = useTexts("privacy");
  const api = useApi();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      isOpen
      title={texts.liftTitle}
      text={texts.liftText(hold.reason)}
      action={texts.lift}
      onConfirm={async () => {
        await api.send("DELETE", `/v1/privacy/holds/${hold.id}`);
        await refresh();
      }}
      onClose={onClose}
    />
  );
}
