/** The addresses in the example that every real site must replace. */
export const exampleAddresses = { publicUrl: 'https://notes.example.org', issuer: 'https://op.example.org' } as const;

/** The file that a first run writes: a whole configuration with reasons, and three places to fill in. */
export const exampleConfig = `{
  // Where the gate listens. Put nginx, Caddy or Traefik with https in front of it.
  "listen": "127.0.0.1:4180",
  // Where people reach it: the origin of your site. FILL IN.
  "publicUrl": "https://notes.example.org",
  // The application behind the gate. Leave the line out when nginx, Caddy or Traefik only ask the gate (forward-auth).
  "upstream": "http://127.0.0.1:3000",
  // Proxies whose forwarded headers count.
  "trustedProxies": ["127.0.0.1/32"],
  "session": {
    // A session ends after 8 hours, or after one hour without use. Logout does not reach everywhere: keep these short.
    "lifetime": "8h",
    "idle": "1h",
    // sqlite:PATH for one machine; for several machines, a secret with a postgres:// address.
    "store": "sqlite:gate.db",
    // A secret of 32 characters or more: openssl rand -base64 48. To replace it, put the new one first.
    "keys": [{ "env": "GATE_KEY" }]
  },
  "providers": [
    {
      "id": "corp",
      "protocol": "oidc",
      "name": "Corp",
      // FILL IN: issuer and client id as your provider shows them. Register these addresses there:
      //   redirect URI             https://notes.example.org/gate/corp/callback
      //   post-logout redirect URI https://notes.example.org/gate/signed-out
      //   back-channel logout URI  https://notes.example.org/gate/corp/backchannel-logout
      "issuer": "https://op.example.org",
      "clientId": "notes",
      "clientSecret": { "env": "CORP_SECRET" }
    }
  ],
  "rules": [
    // The first rule that matches decides; what no rule matches is denied. FILL IN: who has access to what.
    { "methods": ["POST"], "paths": ["/api/notebooks", "/api/quick"], "allow": { "provider": "corp", "groups": ["staff"] } },
    { "paths": ["/new", "/quick", "/"], "allow": "signed-in" },
    { "paths": ["/n/**", "/e/**", "/edit/*", "/api/**", "/assets/**"], "allow": "anyone" }
  ]
}
`;
