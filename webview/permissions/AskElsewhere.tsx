import type { PendingAsk } from '../../extension/protocol/view';
import { useView } from '../store/appContext';
import { agentName, askingAgentId, askTitle } from '../store/selectors';
import { Button } from '../ui/Button';
import { Icon } from '../ui/Icon';

/** A plan or question whose card stands in a conversation that is not shown now. */
export function AskElsewhere({ ask, onShow }: { readonly ask: PendingAsk; readonly onShow: (agentId: string) => void }) {
  const agentId = askingAgentId(ask);
  const name = useView((view) => agentName(view.agents, agentId));
  return (
    <section className="dock elsewhere" aria-label={`${name} ${askTitle(ask)}`}>
      <Icon name={ask.kind === 'plan' ? 'checklist' : 'question'} tone="warn" />
      <span className="cut grow">{`${name} ${askTitle(ask)}`}</span>
      <Button onClick={() => onShow(agentId)}>Show</Button>
    </section>
  );
}
