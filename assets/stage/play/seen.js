// Who has gone to the end of a run has seen its result: the page may show it from now on.

const seenRuns = new WeakSet();

/** Told once for each run that is loaded. */
export function tellSeen({ run, events, k, api }) {
  if (k < events.length || !events.length || seenRuns.has(run)) return;
  seenRuns.add(run);
  api.setTriggerValue?.("seen", run.log.meta.scenario);
}
