// What several panels of the page say.

// command is the run's own command, for what brings data.
export const command = (run) => run.describe.run?.command?.join(" ") || "python train.py";

// going says that a run goes on, here or on another machine.
export const going = (run) => run.live || run.row.status === "running";

// token is the colour of a part of the time or a phase.
export const token = (part) => `--part-${part}`;

// paint gives an element the colour of a part.
export const paint = (part) => (node) => node?.style.setProperty("--of", `var(${token(part)}, var(--series-none))`);
