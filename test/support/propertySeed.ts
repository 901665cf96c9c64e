import fc from 'fast-check';

/** The same cases in every run, so that a red run is about the change. `FC_SEED=$RANDOM npm run test:unit` looks further. */
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_201) });
