import type { AgentState } from '../store/selectors';
import { Icon } from '../ui/Icon';

/** The word beside the icon: status is never colour or shape alone. */
export const agentWord: Readonly<Record<AgentState, string>> = {
  queued: 'queued',
  working: 'working',
  needsYou: 'needs you',
  waiting: 'waiting',
  idle: 'idle',
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
};

export function AgentIcon({ state }: { readonly state: AgentState }) {
  switch (state) {
    case 'working':
      return <Icon name="loading" tone="run" spin />;
    case 'needsYou':
      return <Icon name="bell-dot" tone="warn" />;
    case 'done':
      return <Icon name="pass" tone="ok" />;
    case 'failed':
      return <Icon name="error" tone="err" />;
    case 'stopped':
      return <Icon name="debug-stop" tone="off" />;
    case 'waiting':
      return <Icon name="watch" tone="off" />;
    case 'queued':
    case 'idle':
      return <Icon name="circle-outline" tone="off" />;
  }
}
