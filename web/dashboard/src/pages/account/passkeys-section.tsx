import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AnswerOf } from "#api/members.ts";
import type { addedPasskey, newPasskeyChallenge, Passkey } from "#api/passkeys.ts";
import type { LoginMethods } from "../../api/begin-session.ts";
import { useApi } from "../../api/client.ts";
import { makePasskey } from "../../api/passkeys.ts";
import { useSession } from "../../app/session.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { Notice } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { RelativeTime, Time } from "../../ui/time.tsx";
import { deviceOf, Loaded, RowButtons } from "../access/parts.tsx";
import { PasswordForm, RecoveryCodesDialog } from "./account-dialogs.tsx";

const path = "/v1/dashboard/passkeys";

type Doing = { readonly what: "add" } | { readonly what: "rename" | "remove"; readonly passkey: Passkey };

/** The passkeys of the person, and ways to add and remove them. */
export function PasskeysSection() {
  const texts = useTexts("account");
  const api = useApi();
  const { refresh } = useSession();
  const passkeys = useQuery({ queryKey: ["own-passkeys"], queryFn: () => api.get<Passkey[]>(path) });
  const methods = useQuery({
    queryKey: ["login-methods"],
    queryFn: () => api.get<LoginMethods>("/v1/dashboard/login/methods"),
  });
  const [doing, setDoing] = useState<Doing>();
  const columns = useColumns(setDoing);
  const close = () => setDoing(undefined);
  const done = async () => {
    await Promise.all([passkeys.refetch(), refresh()]);
  };
  const canAdd = methods.data?.passkeys === true && "credentials" in navigator;
  return (
    <Section
      title={texts.passkeys}
      intro={texts.passkeysText}
      actions={canAdd && <Button onPress={() => setDoing({ what: "add" })}>{texts.addPasskey}</Button>}
    >
      {methods.data?.passkeys === false && <Notice>{texts.passkeysNeedHost}</Notice>}
      <Loaded query={passkeys}>
        {(all) =>
          all.length > 0 && (
            <Table label={texts.passkeys} columns={columns} rows={all} rowKey={({ id }) => id} empty={null} />
          )
        }
      </Loaded>
      {doing?.what === "add" && <AddDialog onClose={close} onDone={done} />}
      {doing?.what === "rename" && <RenameDialog passkey={doing.passkey} onClose={close} onDone={done} />}
      {doing?.what === "remove" && <RemoveDialog passkey={doing.passkey} onClose={close} onDone={done} />}
    </Section>
  );
}

function useColumns(onDo: (doing: Doing) => void): readonly Column<Passkey>[] {
  const texts = useTexts("account");
  return [
    {
      id: "name",
      title: texts.passkeyName,
      cell: ({ name, passwordless, synced }) => (
        <span className="inline">
          {name}
          {!passwordless && <Badge tone="info">{texts.secondFactorOnly}</Badge>}
          {synced && <Badge tone="info">{texts.synced}</Badge>}
        </span>
      ),
    },
    { id: "added", title: texts.added, cell: ({ createdAt }) => <Time value={createdAt} /> },
    {
      id: "used",
      title: texts.lastUsed,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? "–" : <RelativeTime value={lastUsedAt} />),
    },
    {
      id: "buttons",
      title: "",
      align: "end",
      cell: (passkey) => (
        <RowButtons>
          <Button
            kind="quiet"
            aria-label={texts.renamePasskeyOf(passkey.name)}
            onPress={() => onDo({ what: "rename", passkey })}
          >
            {texts.renamePasskey}
          </Button>
          <Button
            kind="quiet"
            aria-label={texts.removePasskeyOf(passkey.name)}
            onPress={() => onDo({ what: "remove", passkey })}
          >
            {texts.removePasskey}
          </Button>
        </RowButtons>
      ),
    },
  ];
}

interface TaskProps {
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

type NewChallenge = AnswerOf<typeof newPasskeyChallenge.table>;
type Added = AnswerOf<typeof addedPasskey.table>;

/** The password, then a name and what the browser asks; and the recovery codes, if they are the first. */
function AddDialog({ onClose, onDone }: TaskProps) {
  const texts = useTexts("account");
  const api = useApi();
  const [challenge, setChallenge] = useState<NewChallenge>();
  const [codes, setCodes] = useState<readonly string[]>();
  const { browser, system } = deviceOf(navigator.userAgent);
  if (codes !== undefined) return <RecoveryCodesDialog codes={codes} onClose={onClose} />;
  if (challenge === undefined) {
    return (
      <Dialog title={texts.addPasskey} isOpen onClose={onClose}>
        <PasswordForm
          submit={texts.goOn}
          onCancel={onClose}
          onSubmit={async (password) =>
            setChallenge(await api.send<NewChallenge>("POST", `${path}/challenge`, { password }))
          }
        >
          <p>{texts.addPasskeyText}</p>
        </PasswordForm>
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.addPasskey} isOpen onClose={onClose}>
      <Form
        submit={texts.createPasskey}
        onCancel={onClose}
        onSubmit={async (values) => {
          const made = { ...(await makePasskey(challenge)), name: values.text("name").trim() };
          const { recoveryCodes } = await api.send<Added>("POST", path, made);
          await onDone();
          if (recoveryCodes.length > 0) setCodes(recoveryCodes);
          else onClose();
        }}
      >
        <TextField
          name="name"
          label={texts.passkeyName}
          hint={texts.passkeyNameHelp}
          defaultValue={system ?? browser ?? ""}
          maxLength={100}
          isRequired
          autoFocus
        />
      </Form>
    </Dialog>
  );
}

function RenameDialog({ passkey: { id, name }, onClose, onDone }: TaskProps & { readonly passkey: Passkey }) {
  const texts = useTexts("account");
  const { save } = useTexts("common");
  const api = useApi();
  return (
    <Dialog title={texts.renamePasskeyOf(name)} isOpen onClose={onClose}>
      <Form
        submit={save}
        onCancel={onClose}
        onSubmit={async (values) => {
          await api.send("PUT", `${path}/${id}`, { name: values.text("name").trim() });
          await onDone();
          onClose();
        }}
      >
        <TextField name="name" label={texts.passkeyName} defaultValue={name} maxLength={100} isRequired autoFocus />
      </Form>
    </Dialog>
  );
}

function RemoveDialog({ passkey: { id, name }, onClose, onDone }: TaskProps & { readonly passkey: Passkey }) {
  const texts = useTexts("account");
  const api = useApi();
  const { user } = useSession();
  const isLast = user.passkeys === 1 && !user.totpEnabled;
  return (
    <Dialog title={texts.removePasskeyOf(name)} isOpen onClose={onClose}>
      <PasswordForm
        submit={texts.removePasskey}
        kind="danger"
        onCancel={onClose}
        onSubmit={async (password) => {
          await api.send("DELETE", `${path}/${id}`, { password });
          await onDone();
          onClose();
        }}
      >
        <p>{isLast ? texts.removeLastPasskeyText : texts.removePasskeyText}</p>
      </PasswordForm>
    </Dialog>
  );
}
