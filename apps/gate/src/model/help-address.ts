/** The reason of a failure, in the words of the REFEDS profile of errorURL. */
export type HelpReason = 'IDENTIFICATION_FAILURE' | 'AUTHENTICATION_FAILURE' | 'AUTHORIZATION_FAILURE' | 'OTHER_ERROR';

export interface HelpFacts {
  readonly reason: HelpReason;
  /** Our entity ID. */
  readonly entityId: string;
  readonly at: Date;
}

/**
 * The page where a provider helps people who could not come in: the errorURL of its metadata (SAML 2.0 Metadata §2.4.1), with the
 * placeholders of "SAML V2.0 Metadata Deployment Profile for errorURL" (REFEDS) filled in. Placeholders we have no value for
 * become empty.
 */
export function fillHelpAddress(errorUrl: string, { reason, entityId, at }: HelpFacts): string {
  const facts: Readonly<Record<string, string>> = {
    CODE: reason,
    TS: String(Math.floor(at.getTime() / 1000)),
    RP: entityId,
  };
  return errorUrl.replaceAll(/ERRORURL_(CODE|TS|RP|TID|CTX)/g, (_, name: string) => encodeURIComponent(facts[name] ?? ''));
}
