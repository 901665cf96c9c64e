export const protocol = {
  'protocol:view:conversation': { behaviour: 'a turn folds into user, text and tool entries in order', source: 'architecture 3' },
  'protocol:view:streaming': { behaviour: 'deltas grow the arriving reply and the completed message replaces it', source: 'architecture 3' },
  'protocol:view:lost-delta': { behaviour: 'a delta after a gap changes nothing; the whole comes with the message', source: 'conventions State' },
  'protocol:view:asks': { behaviour: 'asks wait in order and leave when answered', source: 'architecture 4b' },
  'protocol:view:cost-unknown': { behaviour: 'a cost with an unknown part is unknown, never 0', source: 'spec 17 Sessions' },
  'protocol:rpc:errors': { behaviour: 'bad calls get an error reply that names the field', source: 'conventions Boundaries' },
  'protocol:rpc:round-trip': { behaviour: 'a call reaches its handler and its result comes back', source: 'architecture 3' },
  'protocol:wire:fixtures': { behaviour: 'every method and event has a fixture that parses', source: 'architecture 1 test/protocol' },
} as const;
