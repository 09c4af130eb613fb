// For tests in Python: stage logs come in, one a line; out go the ledger's sums after every step, one run a line.
import { createInterface } from "node:readline";
import { foldAll } from "../../../../assets/stage/time/fold.js";
import { ledgerAt } from "../../../../assets/stage/time/ledger.js";

for await (const line of createInterface({ input: process.stdin })) {
  const log = JSON.parse(line), run = { log, frames: foldAll(log.init, log.events) };
  const ledgers = run.frames.map((_, k) => {
    const { rows, ...sums } = ledgerAt(run, k);
    return { ...sums, rows: [...rows].map(([rid, { blocks, status, ...row }]) => ({ rid, ...row })) };
  });
  console.log(JSON.stringify(ledgers));
}
