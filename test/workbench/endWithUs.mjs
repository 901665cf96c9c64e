// Child process groups never outlive the process that started them, also when that one is interrupted.

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Signal a process group made with `detached`; one that is gone already is fine.
 * @param {number | undefined} pid
 * @param {NodeJS.Signals} signal
 */
export function endGroup(pid, signal) {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/**
 * Kill the group when this process exits or gets a signal that no one else here handles.
 * @param {number | undefined} pid
 * @returns {() => void} call it when the group has ended
 */
export function endWithUs(pid) {
  const onExit = () => endGroup(pid, 'SIGKILL');
  const onSignal = Object.assign((/** @type {NodeJS.Signals} */ signal) => {
    if (process.listeners(signal).some((listener) => !('isGroupEnder' in listener))) return;
    endGroup(pid, 'SIGKILL');
    release();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  }, { isGroupEnder: true });
  const release = () => {
    process.off('exit', onExit);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  process.once('exit', onExit);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return release;
}
