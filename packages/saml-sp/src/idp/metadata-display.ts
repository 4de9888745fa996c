import type { XmlElement } from 'libxml2-wasm';
import { isSafeEndpoint } from '../values/safe-endpoint.ts';
import { ns } from '../xml/names.ts';
import { type ChildFinder, childrenNamed, findAttribute, trimmedTextOf } from '../xml/xml.ts';

/** How a provider wants to be shown to people who choose one (sstc-saml-metadata-ui-v1.0). The text is the provider's: escape it. */
export interface ProviderDisplay {
  /** Names by language tag, from mdui:UIInfo or else from md:Organization. */
  names: Readonly<Record<string, string>>;
  /** One sentence about it, by language tag. */
  descriptions: Readonly<Record<string, string>>;
  /** Search terms. */
  keywords: readonly string[];
  /** Images at https addresses, sizes in pixels; `language` is set if the image contains text. */
  logos: readonly { url: string; width: number; height: number; language: string | undefined }[];
  /** Whether it asks not to be listed (entity category hide-from-discovery). */
  hidden: boolean;
}

const maxText = 1000;
const hideFromDiscovery = 'http://refeds.org/category/hide-from-discovery';

/** The text of a display element; empty if it contains anything besides text. */
function textIn(element: XmlElement): string {
  try {
    return trimmedTextOf(element).slice(0, maxText);
  } catch {
    return '';
  }
}

const languageOf = (element: XmlElement): string =>
  element.attrs
    .find(one => one.name === 'lang')
    ?.value.toLowerCase()
    .slice(0, 35) ?? '';

const byLanguage = (elements: readonly XmlElement[]): Record<string, string> =>
  Object.fromEntries(elements.map(element => [languageOf(element), textIn(element)] as const).filter(([, text]) => text !== ''));

const below = (holders: readonly XmlElement[], namespace: string, name: string): XmlElement[] =>
  holders.flatMap(holder => childrenNamed(holder, namespace, name));

function readLogo(element: XmlElement): ProviderDisplay['logos'][number] | undefined {
  const url = textIn(element);
  const [width, height] = ['width', 'height'].map(name => Number(findAttribute(element, name)));
  if (!isSafeEndpoint(url) || !Number.isInteger(width) || !Number.isInteger(height)) return undefined;
  return { url, width: width ?? 0, height: height ?? 0, language: languageOf(element) || undefined };
}

/** Reads what a chooser shows. Nothing in it decides anything, so unreadable parts are left out. */
export function readDisplay(entity: ChildFinder, role: ChildFinder): ProviderDisplay {
  const info = below(role(ns.md, 'Extensions'), ns.mdui, 'UIInfo');
  const names = byLanguage(below(info, ns.mdui, 'DisplayName'));
  const organization = byLanguage(
    below(
      [entity, role].flatMap(one => one(ns.md, 'Organization')),
      ns.md,
      'OrganizationDisplayName',
    ),
  );
  const attributes = below(below(entity(ns.md, 'Extensions'), ns.mdattr, 'EntityAttributes'), ns.saml, 'Attribute');
  return {
    names: Object.keys(names).length > 0 ? names : organization,
    descriptions: byLanguage(below(info, ns.mdui, 'Description')),
    keywords: below(info, ns.mdui, 'Keywords').flatMap(one => textIn(one).split(/\s+/).filter(Boolean)),
    logos: below(info, ns.mdui, 'Logo').flatMap(one => readLogo(one) ?? []),
    hidden: below(attributes, ns.saml, 'AttributeValue').some(one => textIn(one) === hideFromDiscovery),
  };
}
