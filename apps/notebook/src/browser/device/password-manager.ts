interface PasswordCredentials {
  new (data: { id: string; password: string; name: string }): Credential;
}

/**
 * Offers a sign-in to the browser's password manager. Chromium has an interface for this; other browsers noticed the form that was just
 * submitted. Nothing is sent anywhere.
 * @returns whether the browser has that interface and so will ask
 */
export async function offerToPasswordManager(name: string, password: string): Promise<boolean> {
  const { PasswordCredential } = globalThis as { PasswordCredential?: PasswordCredentials };
  if (!PasswordCredential) return false;
  await navigator.credentials.store(new PasswordCredential({ id: name, password, name }));
  return true;
}
