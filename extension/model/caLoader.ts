import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { errorText } from '../base/errorText';
import { err, ok, type Result } from '../base/result';

/** Node's own authorities and those of a PEM file, in the form TLS options take. */
export async function loadAuthorities(pemPath: string): Promise<Result<string[], string>> {
  try {
    const pem = await readFile(pemPath, 'utf8');
    if (!pem.includes('-----BEGIN CERTIFICATE-----')) return err(`NODE_EXTRA_CA_CERTS: ${pemPath} holds no PEM certificate`);
    return ok([...rootCertificates, pem]);
  } catch (thrown) {
    return err(`NODE_EXTRA_CA_CERTS: ${pemPath} cannot be read: ${errorText(thrown)}`);
  }
}
