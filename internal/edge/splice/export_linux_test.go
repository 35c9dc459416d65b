package splice

// MaxPipes is maxPipes.
const MaxPipes = maxPipes
