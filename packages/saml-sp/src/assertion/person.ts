import { readShape } from '../values/shape.ts';
import { attributesReader, type SamlAttribute } from './attributes.ts';

/** The attributes that most applications want to know about a person. The text is the provider's: it proves nothing. */
export interface Person {
  email: string | undefined;
  displayName: string | undefined;
  givenName: string | undefined;
  familyName: string | undefined;
  /** The name by which the provider knows them (uid, UPN, eduPersonPrincipalName). */
  userName: string | undefined;
  groups: string[];
  affiliations: string[];
  entitlements: string[];
}

const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/';
const microsoft = 'http://schemas.microsoft.com/';

/**
 * Names of the common attributes, in order of preference: the OIDs of eduPerson, inetOrgPerson and X.520 as federations send
 * them, the claim types of AD FS and Entra ID, and the plain words that people type into a provider's form.
 * @example readPerson(attributes, { groups: [...commonAttributes.groups, 'urn:example:teams'] })
 */
export const commonAttributes: Readonly<Record<keyof Person, readonly string[]>> = {
  email: ['urn:oid:0.9.2342.19200300.100.1.3', `${claims}emailaddress`, 'mail', 'email', 'emailAddress', 'Email'],
  displayName: [
    'urn:oid:2.16.840.1.113730.3.1.241',
    'urn:oid:2.5.4.3',
    `${microsoft}identity/claims/displayname`,
    `${claims}name`,
    'displayName',
    'cn',
    'name',
  ],
  givenName: ['urn:oid:2.5.4.42', `${claims}givenname`, 'givenName', 'firstName', 'first_name', 'FirstName'],
  familyName: ['urn:oid:2.5.4.4', `${claims}surname`, 'sn', 'surname', 'lastName', 'last_name', 'LastName'],
  userName: [
    'urn:oid:1.3.6.1.4.1.5923.1.1.1.6',
    'urn:oid:0.9.2342.19200300.100.1.1',
    `${claims}upn`,
    'eduPersonPrincipalName',
    'uid',
    'username',
  ],
  groups: [
    'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
    `${microsoft}ws/2008/06/identity/claims/groups`,
    'http://schemas.xmlsoap.org/claims/Group',
    'isMemberOf',
    'memberOf',
    'groups',
    'Role',
  ],
  affiliations: [
    'urn:oid:1.3.6.1.4.1.5923.1.1.1.9',
    'urn:oid:1.3.6.1.4.1.5923.1.1.1.1',
    'eduPersonScopedAffiliation',
    'eduPersonAffiliation',
  ],
  entitlements: ['urn:oid:1.3.6.1.4.1.5923.1.1.1.7', 'eduPersonEntitlement'],
};

/**
 * Reads the common attributes. An attribute is identified by its Name alone: FriendlyName is for people to read.
 * @param names names to look for instead of the common ones
 * @example const { email, groups } = readPerson(identity.attributes);
 */
export function readPerson(attributes: readonly SamlAttribute[], names: Partial<typeof commonAttributes> = {}): Person {
  readShape(attributes, 'attributes', attributesReader);
  const all = (field: keyof Person): string[] => {
    for (const name of names[field] ?? commonAttributes[field]) {
      const values = attributes.filter(attribute => attribute.name === name).flatMap(attribute => attribute.values);
      if (values.length > 0) return values;
    }
    return [];
  };
  const one = (field: keyof Person): string | undefined => all(field)[0];
  return {
    email: one('email'),
    displayName: one('displayName'),
    givenName: one('givenName'),
    familyName: one('familyName'),
    userName: one('userName'),
    groups: all('groups'),
    affiliations: all('affiliations'),
    entitlements: all('entitlements'),
  };
}
