package suggest

import (
	"strings"
	"testing"

	"github.com/vigil-ml/vigil/internal/record"
)

// program is a training in which places are cut out.
const program = `import torch
from torch import nn

MAKE
criterion = nn.MSELoss()
for x, y in batches:
    LOSS
    BACKWARD
    STEP
`

// What a line of a script may look like, and the edit that comes of it. Where more than
// one reading is possible, or the line is no plain statement, there is none.
func TestEdits(t *testing.T) {
	type lines = map[string]string
	usual := lines{"MAKE": "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)", "LOSS": "loss = criterion(model(x), y)", "BACKWARD": "loss.backward()", "STEP": "optimizer.step()"}
	for _, c := range []struct {
		name, check string
		lines       lines // in place of the usual ones; a call is between « and »
		facts       func(*record.Facts)
		want        string // what goes and comes; "" for no suggestion
	}{
		{"the usual", "zero_grad/kept", nil, nil, "+    optimizer.zero_grad()"},
		{"an attribute", "zero_grad/kept", lines{"STEP": "«self.optimizer.step()»"}, nil, "+    self.optimizer.zero_grad()"},
		{"a comment", "zero_grad/kept", lines{"STEP": "«optimizer.step()»  # update (all"}, nil, "+    optimizer.zero_grad()"},
		{"between the two", "zero_grad/kept", lines{"BACKWARD": "«loss.backward()»\n    total += loss.item()"}, nil, "+    optimizer.zero_grad()"},
		{"a scaler", "zero_grad/kept", lines{"BACKWARD": "«scaler.scale(loss).backward()»", "STEP": "«scaler.step(optimizer)»\n    scaler.update()"}, nil, "+    optimizer.zero_grad()"},
		{"a closure", "zero_grad/kept", lines{"STEP": "«optimizer.step(closure)»"}, nil, ""},
		{"not every time", "zero_grad/kept", lines{"STEP": "if i % 2:\n        «optimizer.step()»"}, nil, "+        optimizer.zero_grad()"},
		{"not every time, and gradients are looked at", "zero_grad/kept", lines{"STEP": "if i % 2:\n        «optimizer.step()»\n        print(w.grad)"}, nil, ""},
		{"left out now and then", "zero_grad/kept", lines{"BACKWARD": "«loss.backward()»\n    if i % 2:\n        continue"}, nil, "+    optimizer.zero_grad()"},
		{"the body of an if on one line", "zero_grad/kept", lines{"STEP": "if i % 2: «optimizer.step()»"}, nil, ""},
		{"the body of a loop on one line", "zero_grad/kept", lines{"STEP": "for _ in range(2): «optimizer.step()»"}, nil, ""},
		{"two statements on a line", "zero_grad/kept", lines{"STEP": "«optimizer.step()»; i += 1"}, nil, ""},
		{"backward and the update on a line", "zero_grad/kept", lines{"BACKWARD": "pass", "STEP": "«loss.backward()»; «optimizer.step()»"}, nil, ""},
		{"a call of several lines", "zero_grad/kept", lines{"STEP": "«optimizer.step(\n    )»"}, nil, ""},
		{"backward of several lines", "zero_grad/kept", lines{"BACKWARD": "«loss.backward(\n        retain_graph=False,\n    )»"}, nil, "+    optimizer.zero_grad()"},
		{"an entry", "zero_grad/kept", lines{"STEP": "«optimizers[0].step()»"}, nil, ""},
		{"the result of a call", "zero_grad/kept", lines{"STEP": "«get().step()»"}, nil, ""},
		{"a tab", "zero_grad/kept", lines{"STEP": "if True:\n\t\t«optimizer.step()»"}, nil, "+\t\toptimizer.zero_grad()"},
		{"several optimisers", "zero_grad/kept", nil, func(f *record.Facts) {
			f.Calls.List = append(f.Calls.List, record.Call{Kind: step, Name: "Adam", File: "train.py", Line: 9, Extent: record.Extent{Times: 3}})
		}, ""},
		{"backward elsewhere", "zero_grad/kept", nil, func(f *record.Facts) { edited(f, backward).Elsewhere = true }, ""},
		{"an old hook", "zero_grad/kept", nil, func(f *record.Facts) { edited(f, step).Extent = record.Extent{} }, ""},
		{"no columns", "zero_grad/kept", nil, func(f *record.Facts) { edited(f, step).EndColumn = 0 }, "+    optimizer.zero_grad()"},
		{"other columns", "zero_grad/kept", nil, func(f *record.Facts) { edited(f, step).Column++ }, ""},
		{"another line", "zero_grad/kept", nil, func(f *record.Facts) { edited(f, step).Line = 400 }, ""},

		{"cleared too early", "zero_grad/cleared", lines{"BACKWARD": "«loss.backward()»\n    optimizer.zero_grad()"}, nil, "+    optimizer.zero_grad()\n-    optimizer.zero_grad()"},
		{"the model's are", "zero_grad/cleared", lines{"BACKWARD": "«loss.backward()»\n    model.zero_grad(set_to_none=True)"}, nil, "+    model.zero_grad(set_to_none=True)\n-    model.zero_grad(set_to_none=True)"},
		{"cleared somewhere else", "zero_grad/cleared", nil, nil, ""},
		{"cleared twice", "zero_grad/cleared", lines{"BACKWARD": "«loss.backward()»\n    a.zero_grad()\n    b.zero_grad()"}, nil, ""},
		{"cleared now and then", "zero_grad/cleared", lines{"BACKWARD": "«loss.backward()»\n    if i % 2:\n        optimizer.zero_grad()"}, nil, ""},

		{"no backward", "zero_grad/no_backward", lines{"BACKWARD": "optimizer.zero_grad()"}, nil, "+    loss.backward()"},
		{"too few of them", "zero_grad/no_backward", nil, nil, ""},
		{"a loss that is no name", "zero_grad/no_backward", lines{"BACKWARD": "pass", "LOSS": "losses.append(«criterion(model(x), y)»)"}, nil, ""},
		{"a number by then", "zero_grad/no_backward", lines{"BACKWARD": "loss = loss.item()"}, nil, ""},

		{"no evaluation mode", "evaluation_mode/evaluated_in_training_mode", lines{"STEP": "«optimizer.step()»\nscores = «net(held)»"}, nil, "+net.eval()\n+net.train()"},
		{"a block", "evaluation_mode/evaluated_in_training_mode", lines{"STEP": "«optimizer.step()»\nwith torch.no_grad():\n    for v in held:\n        scores.append(«net(v)»)\nprint(scores)"}, nil, "+net.eval()\n+net.train()"},
		{"a block that is left in the middle", "evaluation_mode/evaluated_in_training_mode", lines{"STEP": "«optimizer.step()»\nwith torch.no_grad():\n    for v in held:\n        scores.append(«net(v)»)\n        if enough: break"}, nil, "+        net.eval()\n+        net.train()"},
		{"models of a loop", "evaluation_mode/evaluated_in_training_mode", lines{"STEP": "«optimizer.step()»\nscores = [«net(held)» for net in nets]"}, nil, ""},
		{"a result", "evaluation_mode/evaluated_in_training_mode", lines{"STEP": "«optimizer.step()»\ndef f(v):\n    return «net(v)»"}, nil, ""},
		{"a function of PyTorch's", "evaluation_mode/evaluated_in_training_mode", lines{"STEP": "«optimizer.step()»\nscores = «torch.vmap(held)»"}, nil, ""},

		{"trained in evaluation mode", "evaluation_mode/trained_in_evaluation_mode", lines{"LOSS": "loss = criterion(«model(x)», y)"}, nil, "+    model.train()"},
		{"trained in a function", "evaluation_mode/trained_in_evaluation_mode", lines{"LOSS": "loss = criterion((lambda: «model(x)»)(), y)"}, nil, ""},

		{"labels without an axis", "labels_fit/broadcast", nil, shapes([]int64{8, 1}, []int64{8}), "-    loss = criterion(model(x), y)\n+    loss = criterion(model(x), y.unsqueeze(-1))"},
		{"labels with one too many", "labels_fit/broadcast", nil, shapes([]int64{8}, []int64{8, 1}), "-    loss = criterion(model(x), y)\n+    loss = criterion(model(x), y.squeeze(-1))"},
		{"a sum of labels", "labels_fit/broadcast", lines{"LOSS": "loss = «criterion(model(x), y + 1)»"}, shapes([]int64{8, 1}, []int64{8}), "-    loss = criterion(model(x), y + 1)\n+    loss = criterion(model(x), (y + 1).unsqueeze(-1))"},
		{"by keyword", "labels_fit/broadcast", lines{"LOSS": "loss = «criterion(target=y[0].float(), input=model(x))».mean()"}, shapes([]int64{8, 1}, []int64{8}),
			"-    loss = criterion(target=y[0].float(), input=model(x)).mean()\n+    loss = criterion(target=y[0].float().unsqueeze(-1), input=model(x)).mean()"},
		{"as one tuple", "labels_fit/broadcast", lines{"LOSS": "loss = «criterion(*both)»"}, shapes([]int64{8, 1}, []int64{8}), ""},
		{"the other way round", "labels_fit/broadcast", nil, func(f *record.Facts) { shapes([]int64{8, 1}, []int64{8})(f); f.Labels.Swapped = true }, ""},
		{"other shapes", "labels_fit/broadcast", nil, shapes([]int64{8, 1}, []int64{1, 8}), ""},

		{"a function", "output_activation/softmax_twice", lines{"LOSS": "loss = criterion(«torch.softmax(model(x), dim=1)», y)"}, nil, "-    loss = criterion(torch.softmax(model(x), dim=1), y)\n+    loss = criterion(model(x), y)"},
		{"a function of a sum", "output_activation/softmax_twice", lines{"LOSS": "out = «torch.softmax(a + b, -1)».log()"}, nil, "-    out = torch.softmax(a + b, -1).log()\n+    out = (a + b).log()"},
		{"a function, back into the name", "output_activation/softmax_twice", lines{"LOSS": "x = model(x)\n    x = «torch.softmax(x, -1)»"}, nil, "-    x = torch.softmax(x, -1)"},
		{"a function, all of a block", "output_activation/softmax_twice", lines{"LOSS": "if x:\n        x = «torch.softmax(x, -1)»"}, nil, ""},
		{"a function's result", "output_activation/softmax_twice", lines{"LOSS": "def f(x):\n        return «torch.softmax(x[:, 0], -1)»"}, nil, "-        return torch.softmax(x[:, 0], -1)\n+        return x[:, 0]"},
		{"a function, now and then", "output_activation/softmax_twice", lines{"LOSS": "x = «torch.softmax(x, -1)» if a else x"}, nil, ""},
		{"a function of the script's own", "output_activation/softmax_twice", lines{"LOSS": "x = «self.softmax(x)»"}, nil, ""},

		{"a climb", "optimiser_settings/maximize", lines{"MAKE": "optimizer = «torch.optim.SGD(model.parameters(), maximize=True, lr=0.1)»"}, nil,
			"-optimizer = torch.optim.SGD(model.parameters(), maximize=True, lr=0.1)\n+optimizer = torch.optim.SGD(model.parameters(), lr=0.1)"},
		{"a climb at the end", "optimiser_settings/maximize", lines{"MAKE": "optimizer = «torch.optim.SGD(model.parameters(), lr=0.1, maximize=True,)»"}, nil,
			"-optimizer = torch.optim.SGD(model.parameters(), lr=0.1, maximize=True,)\n+optimizer = torch.optim.SGD(model.parameters(), lr=0.1,)"},
		{"on a line of its own", "optimiser_settings/maximize", lines{"MAKE": "optimizer = «torch.optim.SGD(\n    model.parameters(),\n    maximize=True\n)»"}, nil, "-    maximize=True"},
		{"a variable", "optimiser_settings/maximize", lines{"MAKE": "optimizer = «torch.optim.SGD(model.parameters(), maximize=up)»"}, nil, ""},
		{"momentum", "optimiser_settings/momentum", lines{"MAKE": "optimizer = «torch.optim.SGD(model.parameters(), momentum=0.999)»"}, nil,
			"-optimizer = torch.optim.SGD(model.parameters(), momentum=0.999)\n+optimizer = torch.optim.SGD(model.parameters(), momentum=0.9)"},
		{"momentum that is computed", "optimiser_settings/momentum", lines{"MAKE": "optimizer = «torch.optim.SGD(model.parameters(), momentum=1 - 1e-3)»"}, nil, ""},

		{"an optimiser of another model", "not_updated/optimiser_of_another_model", lines{"MAKE": "optimizer = «torch.optim.SGD(model.parameters(), lr=0.1)»\nmodel = Net()", "LOSS": "loss = criterion(«model(x)», y)"}, nil,
			"-optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n+optimizer = torch.optim.SGD(model.parameters(), lr=0.1)"},
		{"a model that is not replaced", "not_updated/optimiser_of_another_model", lines{"LOSS": "loss = criterion(«model(x)», y)"}, nil, ""},
		{"an optimiser that is used before", "not_updated/optimiser_of_another_model", lines{"MAKE": "optimizer = «torch.optim.SGD(model.parameters(), lr=0.1)»\nmodel = Net()\nprint(optimizer)", "LOSS": "loss = criterion(«model(x)», y)"}, nil, ""},
		{"replaced later", "not_updated/optimiser_of_another_model", lines{"MAKE": "optimizer = «torch.optim.SGD(model.parameters(), lr=0.1)»", "LOSS": "model = Net()\n    loss = criterion(«model(x)», y)"}, nil, ""},

		{"a check without one", "learning_rate/exploded", nil, nil, ""},
	} {
		t.Run(c.check+" "+c.name, func(t *testing.T) {
			text := program
			for place, line := range usual {
				if other, ok := c.lines[place]; ok {
					line = other
				} else {
					line = marked(place, line)
				}
				text = strings.Replace(text, place, line, 1)
			}
			for _, ending := range []string{"\n", "\r\n"} {
				text, facts := places(strings.ReplaceAll(text, "\n", ending))
				if c.facts != nil {
					c.facts(facts)
				}
				rule, check, _ := strings.Cut(c.check, "/")
				got := For(&record.Finding{Rule: rule, Check: check, Severity: record.Error, Subject: subjects[rule]}, facts, func(string) []byte { return []byte(text) })
				if c.want == "" {
					if got != nil {
						t.Fatalf("there is a suggestion:\n%s", got.Diff)
					}
					continue
				}
				if got == nil {
					t.Fatalf("no suggestion for\n%s", text)
				}
				var changes []string
				for _, l := range strings.Split(got.Diff, "\n")[2:] {
					if strings.HasPrefix(l, "+") || strings.HasPrefix(l, "-") {
						changes = append(changes, strings.TrimSuffix(l, "\r"))
						if ending == "\r\n" && !strings.HasSuffix(l, "\r") {
							t.Errorf("%q does not end as the lines of the script do", l)
						}
					}
				}
				if all := strings.Join(changes, "\n"); all != c.want {
					t.Errorf("the edit is\n%s\nwant\n%s", all, c.want)
				}
				after, err := apply(text, got.Diff)
				if err != nil {
					t.Fatalf("%v:\n%s", err, got.Diff)
				}
				if _, ok := parse(after); !ok {
					t.Errorf("after it the script is no Python:\n%s", after)
				}
			}
		})
	}
}

var subjects = map[string]string{"optimiser_settings": "SGD"}

// marked is a usual line with its call between marks.
func marked(place, line string) string {
	if i := strings.Index(line, " = "); i >= 0 {
		return line[:i+3] + "«" + line[i+3:] + "»"
	}
	return "«" + line + "»"
}

// places takes the marks out of a script; the facts have the places of the calls.
func places(text string) (string, *record.Facts) {
	f := &record.Facts{Calls: &record.CallFacts{}, EvalTrained: &record.EvalTrainedFacts{}, Optimisers: make([]record.OptimiserFacts, 1)}
	for {
		begin := strings.Index(text, "«")
		if begin < 0 {
			return text, f
		}
		text = text[:begin] + text[begin+len("«"):]
		end := strings.Index(text, "»")
		text = text[:end] + text[end+len("»"):]
		line := func(at int) int { return 1 + strings.Count(text[:at], "\n") }
		column := func(at int) int { return at - 1 - strings.LastIndex(text[:at], "\n") }
		c := record.Call{Kind: kindOf(text[begin:end]), File: "/home/me/train.py", Line: line(begin),
			Extent: record.Extent{EndLine: line(end), Column: column(begin), EndColumn: column(end), Times: 8}}
		switch c.Kind {
		case "evaluation":
			f.Evaluation = &record.EvaluationFacts{File: c.File, Line: c.Line, Extent: c.Extent}
			continue
		case optimizer:
			c.Name = "SGD"
		case loss:
			c.Name = "MSELoss"
		case function:
			c.Name = "softmax"
		}
		f.Calls.List = append(f.Calls.List, c)
	}
}

func kindOf(call string) string {
	for _, k := range []struct{ text, kind string }{{".softmax(", function}, {"optim.", optimizer}, {"criterion(", loss}, {"backward(", backward}, {"step(", step}, {"model(", model}} {
		if strings.Contains(call, k.text) {
			return k.kind
		}
	}
	return "evaluation"
}

func edited(f *record.Facts, kind string) *record.Call {
	for i := range f.Calls.List {
		if f.Calls.List[i].Kind == kind {
			return &f.Calls.List[i]
		}
	}
	return nil
}

func shapes(predictions, labels []int64) func(*record.Facts) {
	return func(f *record.Facts) {
		f.Predictions = &record.PredictionFacts{TensorFacts: record.TensorFacts{Shape: predictions}, LabelShape: labels}
		f.Labels = &record.LabelFacts{Loss: "MSELoss", Shape: labels}
	}
}

// The layers of a model, and how the last one goes.
func TestLayers(t *testing.T) {
	for _, c := range []struct {
		name, check, class, statement string
		line                          int // of the place; the call begins there
		want                          string
	}{
		{"in a row", "output_activation/softmax_twice", "Softmax", "net = nn.Sequential(nn.Linear(4, 2), nn.Softmax(1))", 1, "-net = nn.Sequential(nn.Linear(4, 2), nn.Softmax(1))\n+net = nn.Sequential(nn.Linear(4, 2))"},
		{"in a row with a comma", "output_activation/softmax_twice", "Softmax", "net = nn.Sequential(nn.Linear(4, 2), nn.Softmax(1),)", 1, "-net = nn.Sequential(nn.Linear(4, 2), nn.Softmax(1),)\n+net = nn.Sequential(nn.Linear(4, 2),)"},
		{"on a line of its own", "output_activation/softmax_twice", "Softmax", "net = nn.Sequential(\n    nn.Linear(4, 2),\n    nn.Softmax(dim=1),  # to probabilities\n)", 1,
			"-    nn.Softmax(dim=1),  # to probabilities"},
		{"on a line of its own without a comma", "output_activation/softmax_twice", "Softmax", "net = nn.Sequential(\n    nn.Linear(4, 2),\n    nn.Softmax(dim=1)\n)", 1, "-    nn.Softmax(dim=1)"},
		{"with a name", "output_activation/softmax_twice", "Softmax", "self.last = nn.Softmax(dim=-1)", 1, "-self.last = nn.Softmax(dim=-1)\n+self.last = nn.Identity()"},
		{"of a container of its own", "output_activation/softmax_twice", "Softmax", "net = Stack(nn.Linear(4, 2), nn.Softmax(1))", 1, "-net = Stack(nn.Linear(4, 2), nn.Softmax(1))\n+net = Stack(nn.Linear(4, 2), nn.Identity())"},
		{"a name of its own", "output_activation/softmax_twice", "Softmax", "self.last = Softmax(dim=-1)", 1, ""},
		{"not made there", "output_activation/softmax_twice", "Softmax", "net = nn.Sequential(*layers)", 1, ""},
		{"two of them", "output_activation/softmax_twice", "Softmax", "self.last = nn.Softmax(dim=-1) if a else nn.Softmax(dim=1)", 1, ""},
		{"sigmoid", "output_activation/sigmoid_twice", "Sigmoid", "self.last = torch.nn.Sigmoid()", 1, "-self.last = torch.nn.Sigmoid()\n+self.last = torch.nn.Identity()"},
		{"dropout", "network_structure/dropout_on_output", "Dropout", "self.last = nn.Dropout(p)", 1, "-self.last = nn.Dropout(p)\n+self.last = nn.Identity()"},
		{"probabilities", "output_activation/no_logarithm", "Softmax", "self.last = nn.Softmax(dim=-1)", 1, "-self.last = nn.Softmax(dim=-1)\n+self.last = nn.LogSoftmax(dim=-1)"},
		{"samples for steps", "network_structure/batch_first", "LSTM", "self.last = nn.LSTM(4, 8, num_layers=2)", 1, "-self.last = nn.LSTM(4, 8, num_layers=2)\n+self.last = nn.LSTM(4, 8, num_layers=2, batch_first=True)"},
		{"samples for steps, as was said", "network_structure/batch_first", "LSTM", "self.last = nn.LSTM(4, 8, batch_first=False)", 1, "-self.last = nn.LSTM(4, 8, batch_first=False)\n+self.last = nn.LSTM(4, 8, batch_first=True)"},
		{"settings from elsewhere", "network_structure/batch_first", "LSTM", "self.last = nn.LSTM(4, 8, **settings)", 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			operation := map[string]string{"Softmax": "softmax", "Sigmoid": "sigmoid", "Dropout": "dropout"}[c.class]
			facts := &record.Facts{
				Calls:   &record.CallFacts{List: []record.Call{{Kind: layer, Name: c.class, File: "/home/me/train.py", Line: c.line, Extent: record.Extent{Times: 1}}}},
				Network: &record.NetworkFacts{Modules: []record.ModuleFacts{{Path: "0", Type: "Linear", Calls: 1, Order: 1}, {Path: "1", Type: c.class, Calls: 1, Order: 2}}},
				Graph:   &record.GraphFacts{Head: []string{"nll_loss", operation, "linear"}},
				Loss:    &record.LossFacts{Module: "NLLLoss"},
			}
			rule, check, _ := strings.Cut(c.check, "/")
			f := &record.Finding{Rule: rule, Check: check, Severity: record.Error, Subject: "1"}
			text := c.statement + "\n"
			suggest := func() string {
				got := For(f, facts, func(string) []byte { return []byte(text) })
				if got == nil {
					return ""
				}
				var changes []string
				for _, l := range strings.Split(got.Diff, "\n")[2:] {
					if strings.HasPrefix(l, "+") || strings.HasPrefix(l, "-") {
						changes = append(changes, l)
					}
				}
				return strings.Join(changes, "\n")
			}
			if got := suggest(); got != c.want {
				t.Errorf("the edit is\n%s\nwant\n%s", got, c.want)
			}
			facts.Calls.List[0].Times = 2
			if got := suggest(); got != "" {
				t.Errorf("of two such layers the edit is\n%s", got)
			}
			facts.Calls.List[0].Times = 1
			facts.Network.Modules = append(facts.Network.Modules, record.ModuleFacts{Path: "2", Type: c.class, Calls: 1, Order: 3})
			if got := suggest(); got != "" {
				t.Errorf("of a model with two such layers the edit is\n%s", got)
			}
		})
	}
}

// Nothing is suggested for what is only worth knowing, and where the script is not as it
// was.
func TestNoSuggestion(t *testing.T) {
	text, facts := places("for x in batches:\n    «loss.backward()»\n    «optimizer.step()»\n")
	for _, c := range []struct {
		name     string
		severity record.Severity
		facts    *record.Facts
		text     string
		want     bool
	}{
		{"as it was", record.Error, facts, text, true},
		{"worth knowing", record.Info, facts, text, false},
		{"no facts", record.Error, nil, text, false},
		{"no places", record.Error, &record.Facts{}, text, false},
		{"gone or changed", record.Error, facts, "", false},
		{"not UTF-8", record.Error, facts, "# caf\xe9\n" + text, false},
		{"no Python", record.Error, facts, text + "print(", false},
		{"a line that is too long", record.Error, facts, strings.Replace(text, "loss.backward()", "loss.backward()  # "+strings.Repeat("a", 300), 1), false},
	} {
		f := &record.Finding{Rule: "zero_grad", Check: "kept", Severity: c.severity}
		if got := For(f, c.facts, func(string) []byte { return []byte(c.text) }); (got != nil) != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
