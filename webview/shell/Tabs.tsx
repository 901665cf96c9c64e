import { useRef } from 'react';
import type { Tab } from '../store/uiState';
import { useRovingFocus } from '../ui/useRovingFocus';

export interface TabInfo {
  readonly id: Tab;
  readonly label: string;
  readonly badge: string | undefined;
}

interface TabsProps {
  readonly tabs: readonly TabInfo[];
  readonly selected: Tab;
  readonly onSelect: (tab: Tab) => void;
}

export function Tabs({ tabs, selected, onSelect }: TabsProps) {
  const box = useRef<HTMLDivElement>(null);
  const move = useRovingFocus(box, { items: '[role=tab]', axis: 'horizontal' });
  return (
    <div ref={box} className="tabs" role="tablist" aria-label="Troupe views" onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          id={`tab-${tab.id}`}
          aria-selected={tab.id === selected}
          aria-controls={tab.id === selected ? 'tabpanel' : undefined}
          tabIndex={tab.id === selected ? 0 : -1}
          onClick={() => onSelect(tab.id)}
          onFocus={() => onSelect(tab.id)}
        >
          <span className="lbl">{tab.label}</span> {tab.badge ? <span className="badge">{tab.badge}</span> : null}
        </button>
      ))}
    </div>
  );
}
