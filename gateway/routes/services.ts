import type { Client } from "@connectrpc/connect";
import type { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import type { ErasureService } from "#gen/assent/auth/v1/erasures_pb.ts";
import type { ExportService } from "#gen/assent/auth/v1/exports_pb.ts";
import type { OrganizationService } from "#gen/assent/auth/v1/organization_pb.ts";
import type { PasskeyService } from "#gen/assent/auth/v1/passkeys_pb.ts";
import type { LoginService, UserService } from "#gen/assent/auth/v1/users_pb.ts";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import type { DocgenService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import type { SigningService } from "#gen/assent/sign/v1/signing_pb.ts";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { FindMissing } from "#platform/admin-port.ts";
import type { Clock } from "#platform/clock.ts";
import type { FreshText } from "#platform/config.ts";
import type { OutboundRules } from "#platform/net/outbound-url.ts";
import type { AcceptCoalescer } from "../accept-coalescer.ts";
import type { KeySet } from "../auth/key-set.ts";
import type { TokenGuard } from "../auth/token-guard.ts";
import type { BatchBodies } from "../batch-bodies/batch-bodies.ts";
import type { BuiltPage } from "../built-page.ts";
import type { EmbedScript } from "../embed-script.ts";
import type { EvidenceKeys } from "../evidence-keys.ts";
import type { Home } from "../home-page.ts";
import type { SnsReader } from "../mail-reports/delivery-report.ts";
import type { IdentityProvider } from "../oidc/identity-provider.ts";
import type { Reference } from "../openapi/reference.ts";
import type { BrandLooks } from "../render/brand-looks.ts";
import type { LinkGuard } from "../signing/links.ts";
import type { ServedPage, Verifier } from "../verifier.ts";

/** What the rows of the route tables call. */
export interface Services {
  readonly tokens: Client<typeof TokenService>;
  readonly logins: Client<typeof LoginService>;
  readonly users: Client<typeof UserService>;
  readonly passkeys: Client<typeof PasskeyService>;
  readonly organizations: Client<typeof OrganizationService>;
  readonly erasures: Client<typeof ErasureService>;
  readonly exports: Client<typeof ExportService>;
  readonly templates: Client<typeof TemplatesService>;
  readonly click: Client<typeof ClickService>;
  readonly docgen: Client<typeof DocgenService>;
  readonly sign: Client<typeof SignService>;
  /** What people do with the links to their agreements. */
  readonly signing: Client<typeof SigningService>;
  readonly webhooks: Client<typeof WebhooksService>;
  /** Where events may be sent. */
  readonly receiverRules: OutboundRules;
  /** How pages for people look. */
  readonly looks: BrandLooks;
  /** Where abuse is reported: an email address or an https: one; empty for none. */
  readonly abuseContact: string;
  readonly coalescer: AcceptCoalescer;
  readonly batchBodies: Pick<BatchBodies, "read">;
  readonly keys: Pick<KeySet, "document">;
  readonly evidenceKeys: EvidenceKeys;
  readonly tokenGuard: TokenGuard;
  readonly clock: Clock;
  /** Where people may sign in; undefined when the installation has none. */
  readonly identityProvider: IdentityProvider | undefined;
  /** Undefined when it was not built. */
  readonly embedScript: EmbedScript | undefined;
  /** Undefined when it was not built. */
  readonly verifier: Verifier | undefined;
  /** The page that checks sealed documents; undefined when it was not built. */
  readonly documentPage: ServedPage | undefined;
  /** Undefined when it was not built. */
  readonly signingPage: BuiltPage | undefined;
  readonly linkGuard: LinkGuard;
  /** Of those who report mails that came back; empty when no reports are taken. */
  readonly mailReportsSecret: FreshText;
  /** Of mails that Amazon SES reports. */
  readonly sns: SnsReader;
  /** Throws while this gateway starts. */
  checkReady(): Promise<void>;
  /** What is at the root. */
  readonly home: Home;
  /** Names what is missing of what requests need. */
  readonly findMissing: FindMissing;
  /** The description of the API. */
  readonly reference: Pick<Reference, "document" | "readFile">;
}
