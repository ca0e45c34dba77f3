/** Finds what looks like a credential in a text: private keys, tokens of well-known services, passwords in URLs. */

const forms: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s*[A-Za-z0-9+/=\s]{200,}/,
  'a token of GitHub': /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,})\b/,
  'a key of AWS': /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  'a token of npm': /\bnpm_[A-Za-z0-9]{36}\b/,
  'a token of Slack': /\bxox[abprs]-[A-Za-z0-9-]{20,}/,
  'a key of Google': /\bAIza[A-Za-z0-9_-]{35}\b/,
  'a password in a URL': /\bhttps?:\/\/[^\s/:@'"`<>]{1,64}:[^\s/:@'"`<>${]{8,64}@[a-z0-9-]+\.[a-z]{2,}/,
}

export function secretsIn(text: string): readonly string[] {
  return Object.entries(forms)
    .filter(([, form]) => form.test(text))
    .map(([what]) => what)
}
