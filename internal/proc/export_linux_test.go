package proc

// Parse is parse, for its fuzz target.
var Parse = parse
