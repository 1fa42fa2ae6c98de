package builtin

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/vigil-ml/vigil/rule"
)

// treeDepth measures the trees of each boosting round.
var treeDepth = rule.Definition{
	Name: "tree_depth", Class: "TreeDepth", Family: rule.Tensors, Severity: rule.Warning,
	Checks:     treeDepthChecks,
	Summary:    "Trees grow deeper than a limit.",
	Why:        "Deep trees capture noise. Splits that do not reduce the loss are rejected, so trees may stay below the depth that was configured.",
	Frameworks: []string{"xgboost"},
	Parameters: []rule.Parameter{
		{Name: "depth", Type: rule.Float, Default: "4", Range: rule.AtLeast(0), Unit: "levels", Meaning: "allowed depth: the number of splits on the longest way from the root"},
		every("500"),
	},
	CauseClass: "regularisation",
	Causes:     []string{"a max_depth that is too high for the data"},
	Remedies:   []string{"lower max_depth", "raise min_child_weight or gamma"},
	Needs: func(p rule.Params) []rule.Need {
		return []rule.Need{{Selector: treeColumns, Schedule: rule.AllModes(p.Int("every")), Want: rule.WantStats | rule.WantRaw}}
	},
	New: func(p rule.Params) (rule.Rule, error) { return &depth{limit: p.Float("depth")}, nil },
}

// treeColumns are the columns of a round's table of nodes, of which Node, Yes,
// No, Tree and Feature are read.
var treeColumns = rule.Selector{Collections: []string{"trees"}, Regex: []string{`(^|/)trees/(Tree|Node|Yes|No|Feature)$`}}

type depth struct {
	limit float64
	state struct {
		Deep  map[string]int `json:"deep"`            // by worker: rounds in a row beyond the limit
		Names []string       `json:"names,omitempty"` // of the features
	}
}

// Facts gives features their names.
func (r *depth) Facts(f *rule.Facts, _ *rule.Report) {
	if f.Boosting != nil {
		r.state.Names = f.Boosting.Names
	}
}

func (r *depth) Select() []rule.Selector { return []rule.Selector{treeColumns} }
func (r *depth) Finish(*rule.Report)     {}
func (r *depth) Save() ([]byte, error)   { return save(&r.state) }
func (r *depth) Restore(b []byte) error  { return restore(b, &r.state) }

func (r *depth) Step(v *rule.View, rep *rule.Report) {
	eachWorker(v.Tensors(0), func(items []rule.Item) {
		columns := map[string]rule.Item{}
		for _, it := range items {
			columns[it.Info.Name[strings.LastIndexByte(it.Info.Name, '/')+1:]] = it
		}
		nodes, ok := columns["Node"]
		if !ok || nodes.Stats == nil || nodes.Stats.Finite() == 0 {
			rep.Skip("no_nodes")
			return
		}
		r.judge(nodes.Worker, grown(v, columns), rep)
	})
}

// tree is one tree of a round.
type tree struct {
	number int64
	depth  int
	leaves int   // -1: not known
	root   int64 // feature of the root; -1: not known
	nodes  int
	from   string // links, or ids where the links are not there
}

func (r *depth) judge(worker string, trees []tree, rep *rule.Report) {
	rep.Inspect(len(trees))
	if r.state.Deep == nil {
		r.state.Deep = map[string]int{}
	}
	deep := false
	for _, t := range trees {
		deep = deep || float64(t.depth) > r.limit
	}
	if !deep {
		delete(r.state.Deep, worker)
		return
	}
	r.state.Deep[worker]++
	for _, t := range trees {
		if float64(t.depth) <= r.limit {
			continue
		}
		context := map[string]any{"tree": t.number, "depth": t.depth, "from": t.from}
		leaves := ""
		if t.leaves >= 0 {
			context["leaves"], context["nodes"] = t.leaves, t.nodes
			leaves = fmt.Sprintf(", with %d leaves", t.leaves)
		}
		if t.root >= 0 {
			context["root_feature"] = t.root
			if t.root < int64(len(r.state.Names)) {
				context["root_feature_name"] = r.state.Names[t.root]
			}
		}
		rep.Violate(rule.Violation{
			Check: "depth", Subject: fmt.Sprintf("tree %d", t.number), Worker: worker, Observed: float64(t.depth), Threshold: r.limit, Comparator: ">", Steps: r.state.Deep[worker], Context: context,
			Message: fmt.Sprintf("Tree %d is %d levels deep%s.", t.number, t.depth, leaves),
		})
	}
}

// grown builds the trees of a round out of the columns that are stored. Without
// the links a tree is taken as numbered level by level (the root 0, the
// children of i being 2i+1 and 2i+2).
func grown(v *rule.View, columns map[string]rule.Item) []tree {
	read := func(name string) []float64 {
		it, ok := columns[name]
		if !ok {
			return nil
		}
		raw, err := v.Raw(it.Worker, it.Info.Name)
		if err != nil || raw.DType.Size() == 0 {
			return nil
		}
		out := make([]float64, len(raw.Data)/raw.DType.Size())
		for i := range out {
			out[i] = rule.At(raw, int64(i))
		}
		return out
	}
	nodes := read("Node")
	if len(nodes) == 0 {
		return []tree{byNumber(columns["Node"].Stats.Max)}
	}
	numbers, yes, no, features := read("Tree"), read("Yes"), read("No"), read("Feature")
	rows := map[int64][]int{}
	var order []int64
	for i := range nodes {
		n := int64(0)
		if len(numbers) == len(nodes) {
			n = int64(numbers[i])
		}
		if rows[n] == nil {
			order = append(order, n)
		}
		rows[n] = append(rows[n], i)
	}
	var out []tree
	for _, n := range order {
		t := byLinks(rows[n], nodes, yes, no)
		t.number = n
		if len(features) == len(nodes) && finite(features[rows[n][0]]) {
			t.root = int64(features[rows[n][0]])
		}
		out = append(out, t)
	}
	return out
}

// byNumber is the tree whose largest node number is known.
func byNumber(largest float64) tree {
	t := tree{leaves: -1, root: -1, from: "ids"}
	if largest >= 0 && largest < math.MaxInt64/2 {
		t.depth = bits.Len64(uint64(largest)+1) - 1
	}
	return t
}

// byLinks follows the links from the root, the node with the smallest number.
func byLinks(rows []int, nodes, yes, no []float64) tree {
	root, largest := rows[0], 0.0
	at := map[float64]int{} // node number -> row
	for _, i := range rows {
		at[nodes[i]] = i
		largest = math.Max(largest, nodes[i])
		if nodes[i] < nodes[root] {
			root = i
		}
	}
	if len(yes) != len(nodes) || len(no) != len(nodes) {
		return byNumber(largest)
	}
	t := tree{root: -1, nodes: len(rows), from: "links"}
	seen := map[int]bool{root: true} // against links that go round
	level := []int{root}
	for d := 0; len(level) > 0; d++ {
		t.depth = d
		var next []int
		for _, i := range level {
			leaf := true
			for _, to := range []float64{yes[i], no[i]} {
				if j, ok := at[to]; ok && !seen[j] {
					seen[j] = true
					next = append(next, j)
					leaf = false
				}
			}
			if leaf {
				t.leaves++
			}
		}
		level = next
	}
	return t
}
