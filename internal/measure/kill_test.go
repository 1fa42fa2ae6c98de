package measure

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/vigil-ml/vigil/internal/plan"
	"github.com/vigil-ml/vigil/internal/record"
	"github.com/vigil-ml/vigil/internal/tensor"
)

// endless names the variable that makes the test program measure steps, from
// the one it holds on, until it is killed.
const endless = "VIGIL_TEST_MEASURE"

func TestMain(m *testing.M) {
	if first := os.Getenv(endless); first != "" {
		step, _ := strconv.ParseInt(first, 10, 64)
		meter, err := New(Options{Spill: os.Getenv(endless + "_SPILL")})
		for ; err == nil; step++ {
			if err = measureStep(meter, step); err == nil {
				fmt.Println(step)
			}
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// measureStep measures one step of tensors of several sizes, all of whose
// elements are the step's number, and checks what comes out.
func measureStep(m *Meter, step int64) error {
	d := pairsOf(every(1), plan.Pair{Lag: 1}, plan.Pair{Lag: 2, Close: true})
	for _, n := range []int{3, 5000, 70_000} {
		v := tensor.View{DType: tensor.U8, Shape: []int64{int64(n)}, Data: slices.Repeat([]byte{byte(step % 100)}, n)}
		_, derived, err := m.Tensor(record.TensorInfo{Name: fmt.Sprint("w", n)}, d, record.Train, step, v)
		if err != nil {
			return err
		}
		if step < 2 {
			continue
		}
		if len(derived) != 7 || derived[0].From != step-1 || derived[3].From != step-2 {
			return fmt.Errorf("step %d, %d elements: %+v", step, n, derived)
		}
		for _, x := range []record.Derived{derived[2], derived[5]} {
			if x.Value != float64(x.From%100) {
				return fmt.Errorf("step %d: mean of step %d is %v", step, x.From, x.Value)
			}
		}
	}
	return nil
}

// A Meter that is killed at any moment is followed by one that goes on exactly,
// from the step that was not finished.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spill")
	next := int64(0)
	for round := range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprint(endless, "=", next), endless+"_SPILL="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		killed := false
		for seen := 0; lines.Scan(); seen++ {
			if next, err = strconv.ParseInt(lines.Text(), 10, 64); err != nil {
				t.Fatal(err)
			}
			next++
			if seen == 2+round {
				killed = cmd.Process.Kill() == nil
			}
		}
		if err := cmd.Wait(); err == nil || !killed {
			t.Fatalf("the program ended by itself: %v", err)
		}
	}
	m := open(t, path)
	if err := measureStep(m, next); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 700_000 {
		t.Errorf("the spill file has grown to %d bytes", info.Size())
	}
}
