// For tests in Python: stage logs come in, one a line; out go the request in the lane after every step, and the stops of the beats there and back.
import { createInterface } from "node:readline";
import { nextStop, prevStop, requestAt } from "../../assets/stage/time/steps.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { events } = JSON.parse(line), stops = [], back = [];
  for (let k = 0; k < events.length; ) stops.push((k = nextStop(events, k, "beat")));
  for (let k = events.length; k > 0; k = prevStop(events, k, "beat")) back.unshift(k);
  console.log(JSON.stringify({ lanes: [null, ...events].map((_, k) => requestAt(events, k)), stops, back }));
}
