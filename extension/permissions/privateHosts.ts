/** Names and literal addresses of this machine or its own network. What a name resolves to is the fetcher's to check. */
export function isPrivateHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (name === 'localhost' || /\.(localhost|local|internal|lan|home|intranet)$/.test(name)) return true;
  return name.includes(':') ? isPrivateV6(name) : isPrivateV4(name);
}

function isPrivateV4(address: string): boolean {
  const parts = address.split('.').map(Number);
  const [a = -1, b = -1] = parts;
  if (parts.length !== 4 || parts.some((p) => !Number.isInteger(p) || p < 0 || p > 255)) return false;
  return a === 0 || a === 10 || a === 127 || (a === 100 && b >= 64 && b <= 127) || (a === 169 && b === 254) || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168);
}

function isPrivateV6(address: string): boolean {
  if (address === '::' || address === '::1') return true;
  const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/.exec(address);
  if (mapped?.[1]) return isPrivateV4(mapped[1]);
  if (mapped?.[2] && mapped[3]) {
    const [high, low] = [Number.parseInt(mapped[2], 16), Number.parseInt(mapped[3], 16)];
    return isPrivateV4(`${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`);
  }
  return /^(f[cd]|fe[89ab])/.test(address);
}
