/** The namespaces of the standards that this package implements. */
export const ns = {
  saml: 'urn:oasis:names:tc:SAML:2.0:assertion',
  samlp: 'urn:oasis:names:tc:SAML:2.0:protocol',
  md: 'urn:oasis:names:tc:SAML:2.0:metadata',
  ds: 'http://www.w3.org/2000/09/xmldsig#',
  xenc: 'http://www.w3.org/2001/04/xmlenc#',
  xenc11: 'http://www.w3.org/2009/xmlenc11#',
  ec: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  xsi: 'http://www.w3.org/2001/XMLSchema-instance',
  soap: 'http://schemas.xmlsoap.org/soap/envelope/',
  paos: 'urn:liberty:paos:2003-08',
  ecp: 'urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp',
  shibmd: 'urn:mace:shibboleth:metadata:1.0',
  mdattr: 'urn:oasis:names:tc:SAML:metadata:attribute',
  mdui: 'urn:oasis:names:tc:SAML:metadata:ui',
  idpdisc: 'urn:oasis:names:tc:SAML:profiles:SSO:idp-discovery-protocol',
} as const;

/**
 * Bindings of saml-bindings-2.0.
 * @example provider.singleSignOn.some(endpoint => endpoint.binding === bindings.post)
 */
export const bindings = {
  redirect: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
  post: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
  soap: 'urn:oasis:names:tc:SAML:2.0:bindings:SOAP',
  artifact: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact',
  paos: 'urn:oasis:names:tc:SAML:2.0:bindings:PAOS',
} as const;

/**
 * NameID formats of saml-core-2.0 8.3.
 * @example await sp.startSignIn(idp, { nameIdPolicy: { format: nameIdFormats.persistent } })
 */
export const nameIdFormats = {
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
  emailAddress: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  transient: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
  entity: 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity',
} as const;

/**
 * Status codes of saml-core-2.0 3.2.2.2 that this package writes or reads by name.
 * @example error.answer?.detail.includes(statusCodes.noPassive)
 */
export const statusCodes = {
  success: 'urn:oasis:names:tc:SAML:2.0:status:Success',
  requester: 'urn:oasis:names:tc:SAML:2.0:status:Requester',
  responder: 'urn:oasis:names:tc:SAML:2.0:status:Responder',
  partialLogout: 'urn:oasis:names:tc:SAML:2.0:status:PartialLogout',
  noPassive: 'urn:oasis:names:tc:SAML:2.0:status:NoPassive',
  authnFailed: 'urn:oasis:names:tc:SAML:2.0:status:AuthnFailed',
} as const;

/** The only subject confirmation method that this package accepts (saml-profiles-2.0 3.3). */
export const bearer = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
