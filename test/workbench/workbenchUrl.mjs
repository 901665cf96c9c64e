/**
 * @param {string} host `127.0.0.1:PORT`
 * @param {string} file absolute path
 */
export const remoteUri = (host, file) => `vscode-remote://${host}${encodeURI(file)}`;

/**
 * @param {object} parts
 * @param {{ port: number }} parts.server
 * @param {string} parts.folder absolute path
 * @param {string} [parts.extensionPath] folder of an extension in development
 * @param {readonly (readonly [string, string])[]} [parts.payload] more workbench options
 * @returns {string} the address that opens `folder`, behind a password as well. It names 127.0.0.1, and so must the
 *   person: VS Code takes the page's host for the extension's.
 */
export function workbenchUrl({ server, folder, extensionPath, payload = [] }) {
  const host = `127.0.0.1:${server.port}`;
  const options = [...(extensionPath ? [['extensionDevelopmentPath', remoteUri(host, extensionPath)]] : []), ...payload];
  const url = new URL(`http://${host}/`);
  url.searchParams.set('folder', folder);
  if (options.length > 0) url.searchParams.set('payload', JSON.stringify(options));
  return url.href;
}
