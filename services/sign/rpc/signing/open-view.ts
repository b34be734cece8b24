import type { ServiceImpl } from "@connectrpc/connect";
import { type SigningService, ViewKind as WireKind } from "#gen/assent/sign/v1/signing_pb.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import type { Agreement } from "../../domain/agreement.ts";
import { isLinkOpen, isOfAgreement, isReadable, sessionExpiry, type View, type ViewKind } from "../../domain/view.ts";
import { newViewToken, parseViewToken, type ViewToken, viewTokenHash } from "../../domain/view-token.ts";
import { loadAgreement } from "../../store/agreement-store.ts";
import { findView, openView as markOpened, openReusableView } from "../../store/view-store.ts";
import type { SignDeps } from "../deps.ts";
import { viewExpired } from "./signing-session.ts";

export const openView = (
  deps: Pick<SignDeps, "pool" | "clock">,
): Pick<ServiceImpl<typeof SigningService>, "openView"> => ({
  async openView({ token }) {
    const parsed = parseViewToken(token);
    if (parsed === undefined) throw viewExpired();
    const sessionToken = newViewToken(parsed.orgId);
    const view = await openOnce(deps, parsed, sessionToken);
    return { sessionToken, kind: wireViewKinds[view.kind], frameAncestors: [...view.frameAncestors] };
  },
});

export const wireViewKinds: Readonly<Record<ViewKind, WireKind>> = {
  recipient: WireKind.RECIPIENT,
  send: WireKind.SEND,
  edit: WireKind.EDIT,
  look: WireKind.LOOK,
};

/**
 * Makes a session of the link, in one transaction with its being spent. Nobody has seen the agreement yet. Throws VIEW_URL_EXPIRED for everybody but one, unless the link
 * is reusable.
 */
async function openOnce(
  { pool, clock }: Pick<SignDeps, "pool" | "clock">,
  { orgId, hash: tokenHash }: ViewToken,
  sessionToken: string,
): Promise<View> {
  const now = clock.now();
  const sessionExpiresAt = sessionExpiry(now);
  const opening = { tokenHash, sessionHash: viewTokenHash(sessionToken), now, sessionExpiresAt };
  return inTransaction(orgId, pool, async (client) => {
    const view = await findView(orgId, client, tokenHash);
    if (view === undefined) throw viewExpired();
    if (!isLinkOpen(view, now)) throw viewExpired(view);
    const agreement = view.agreementId === null ? undefined : await loadAgreement(client, orgId, view.agreementId);
    if (view.agreementId !== null && !leadsTo(view, agreement, now)) throw viewExpired(view);
    const open = view.isReusable ? openReusableView : markOpened;
    if (!(await open(orgId, client, opening))) throw viewExpired(view);
    return view;
  });
}

const leadsTo = (view: View, agreement: Agreement | undefined, now: Date): boolean =>
  agreement !== undefined && isOfAgreement(view, agreement) && isReadable(view, agreement, now);
