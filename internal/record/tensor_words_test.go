package record

import "testing"

func TestCalled(t *testing.T) {
	for _, c := range []struct {
		info       TensorInfo
		what, name string
	}{
		{TensorInfo{Name: "Sequential_4.weight", Kind: Weight, Module: "4", ModuleType: "Linear"}, "", "4.weight"},
		{TensorInfo{Name: "My_Net_head.fc_1.bias", Kind: Bias, Module: "head.fc_1", ModuleType: "Linear"}, "", "head.fc_1.bias"},
		{TensorInfo{Name: "Net_pos_embed", Kind: Weight, ModuleType: "Net"}, "", "pos_embed"},
		{TensorInfo{Name: "fc1.weight", Kind: Weight, Module: "fc1"}, "", "fc1.weight"}, // of a Go training
		{TensorInfo{Name: "gradient/Sequential_4.weight", Kind: Gradient, Module: "4", ModuleType: "Linear"}, "gradient", "4.weight"},
		{TensorInfo{Name: "3_output_0", Kind: Output, Module: "3", ModuleType: "ReLU"}, "output of ReLU", "3"},
		{TensorInfo{Name: "encoder.lstm_output_1", Kind: Output, Module: "encoder.lstm", ModuleType: "LSTM"}, "output 1 of LSTM", "encoder.lstm"},
		{TensorInfo{Name: "act_input_0", Kind: Input, Module: "act"}, "input of", "act"},
		// What is not known to be of a module keeps its name.
		{TensorInfo{Name: "w", Kind: Weight}, "", ""},
		{TensorInfo{Name: "gradient/a", Kind: Gradient}, "", ""},
		{TensorInfo{Name: "hidden", Kind: Output, Module: "act"}, "", ""},
		{TensorInfo{Name: "loss", Kind: Loss}, "", ""},
		{TensorInfo{Name: "CrossEntropyLoss_output_0", Kind: Loss, Module: "CrossEntropyLoss", ModuleType: "CrossEntropyLoss"}, "", ""},
	} {
		what, name, known := c.info.Called()
		if what != c.what || name != c.name || known != (c.name != "") {
			t.Errorf("%s is %q, %q, %v; want %q, %q", c.info.Name, what, name, known, c.what, c.name)
		}
	}
}
