// Runs files of scenarios one after the other in this process: node lane.js file…
// They end with who started them: when standard input ends, so do stoas and browser.
process.stdin.on("end", () => process.exit(1)).resume().unref();
for (const file of process.argv.slice(2)) await import(`./${file}`);
