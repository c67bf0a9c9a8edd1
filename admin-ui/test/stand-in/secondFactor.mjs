// The invented second factor of the stand-in's user: every code is 123456, and each recovery code works once.
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const CODE = '123456'

export function secondFactor() {
  let since = null
  let left = []
  let round = 0
  const renew = () => (round++, (left = Array.from({ length: 10 }, (_, i) => `abcd-efgh-jk${round}m-np${i}q`)))
  return {
    isSetUp: () => since !== null,
    view: (now) => ({ since, recoveryCodesLeft: left.length, required: false, now }),
    offer: (now) => ({ secret: SECRET, uri: `otpauth://totp/Komainu:admin%40stand-in?secret=${SECRET}&issuer=Komainu&algorithm=SHA1&digits=6&period=30`, until: new Date(now + 900_000).toISOString() }),
    /** Returns whether the first code was right. */
    confirm(code, now) {
      if (code !== CODE) return false
      since = now
      renew()
      return true
    },
    codes: () => left,
    renew,
    remove: () => void ((since = null), (left = [])),
    /** Returns the last part of the problem's type; null when the code is accepted. */
    refusal(code) {
      if (code === CODE) return null
      if (!left.includes(code)) return 'code-refused'
      left = left.filter((each) => each !== code)
      return null
    },
  }
}
