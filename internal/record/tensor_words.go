package record

import (
	"strconv"
	"strings"
)

// Called says what a tensor is of, and how the script knows that: a weight by its
// name in the state_dict of the model ("", "4.weight"), a gradient by that of its
// weight ("gradient", "4.weight"), what a module takes or returns by the module's
// path ("output of ReLU", "3"). It is false for tensors that have no other name
// than the one they are stored under.
func (i *TensorInfo) Called() (what, name string, known bool) {
	switch i.Kind {
	case Weight, Bias:
		name, known = i.parameter(i.Name)
		return "", name, known
	case Gradient:
		if name, known = i.parameter(strings.TrimPrefix(i.Name, "gradient/")); known {
			what = "gradient"
		}
		return what, name, known
	case Input, Output:
		side := map[Kind]string{Input: "input", Output: "output"}[i.Kind]
		number, is := strings.CutPrefix(i.Name, i.Module+"_"+side+"_")
		if i.Module == "" || !is {
			return "", "", false
		}
		if n, err := strconv.Atoi(number); err != nil {
			return "", "", false
		} else if n > 0 {
			side += " " + number
		}
		return strings.TrimRight(side+" of "+i.ModuleType, " "), i.Module, true
	}
	return "", "", false
}

// Words is a tensor as one speaks of it: "gradient of fc1.weight"; where that is
// not known, the name it is stored under. quote stands around the script's name.
func (i *TensorInfo) Words(quote string) string {
	what, name, known := i.Called()
	if !known {
		return i.Name
	}
	switch name = quote + name + quote; {
	case what == "":
		return name
	case strings.Contains(what, " of"):
		return what + " " + name
	}
	return what + " of " + name
}

// parameter is a stored name of a parameter without the class of the model
// before it.
func (i *TensorInfo) parameter(name string) (string, bool) {
	if i.Module == "" { // one of the model itself
		rest, is := strings.CutPrefix(name, i.ModuleType+"_")
		if !is || i.ModuleType == "" {
			return "", false
		}
		return rest, true
	}
	if strings.HasPrefix(name, i.Module+".") {
		return name, true
	}
	if _, rest, found := strings.Cut(name, "_"+i.Module+"."); found {
		return i.Module + "." + rest, true
	}
	return "", false
}
