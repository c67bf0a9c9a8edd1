// A certified OpenID provider for the tests, as a process of its own. Its argument is JSON:
//   { "port": 4000, "users": { "ann": { "name": "ann", "groups": ["staff"] } }, "clients": [...], "claimsInIdToken": false }
// It makes a signing key at each start. A line of JSON on its standard input changes users: { "ann": { "name": "ann", "groups": [] } }.
// The pages for login are its own ones for development: they accept any password.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Provider } from 'oidc-provider'

const { port, users, clients, claimsInIdToken } = JSON.parse(process.argv[2])
const scope = 'openid profile groups'

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients,
  jwks: { keys: [{ ...key, kid: randomUUID(), use: 'sig', alg: 'RS256' }] },
  cookies: { keys: [randomUUID()] },
  scopes: scope.split(' '),
  claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
  conformIdTokenClaims: !claimsInIdToken,
  pkce: { required: () => true },
  features: { backchannelLogout: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  findAccount: (context, id) =>
    users[id] && { accountId: id, claims: () => ({ sub: id, preferred_username: users[id].name, groups: users[id].groups }) },
  // Every user has consented.
  async loadExistingGrant({ oidc }) {
    const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
    grant.addOIDCScope(scope)
    await grant.save()
    return grant
  },
  // By default it sends no logout tokens to loopback addresses.
  fetch: (url, { dispatcher, ...options }) => fetch(url, options),
})

createInterface({ input: process.stdin })
  .on('line', (line) => {
    Object.assign(users, JSON.parse(line))
    console.log('changed')
  })
  .on('close', () => process.exit(0))
provider.listen(port, '127.0.0.1', () => console.log('ready'))
