// Package view is what a person sees of a run: how it went, what was found and
// what follows from what, curves and heat maps, facts in words, what was captured
// and what was not. It knows no terminal and no HTML; who shows a run takes it
// from here.
package view
