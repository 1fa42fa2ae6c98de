package record

import "encoding/json"

// BoostingFacts are what a model of boosted trees, or a linear one, says of
// itself after its first round.
type BoostingFacts struct {
	At              int64                      `json:"at"`
	Booster         string                     `json:"booster"`   // gbtree, dart, gblinear
	Objective       string                     `json:"objective"` // such as binary:logistic
	Hyperparameters map[string]json.RawMessage `json:"hyperparameters"`
	Features        int64                      `json:"features"`
	Names           []string                   `json:"feature_names,omitempty"` // in the order of their numbers; left out of very many
	Rows            int64                      `json:"rows"`
	FirstRound      int64                      `json:"first_round"` // not 0: an earlier model is trained further
	Data            []BoostingData             `json:"data"`        // that metrics are computed on
	Judged          BoostingData               `json:"predictions_for"`
	EarlyStopping   *BoostingData              `json:"early_stopping,omitempty"` // what it watches, where there is one
	Unused          map[string]string          `json:"unused,omitempty"`         // settings that the model was given and no part of it knows
}

// BoostingData is a set of rows under a name.
type BoostingData struct {
	Name     string `json:"name"`
	Rows     int64  `json:"rows"`
	Training bool   `json:"training,omitempty"`
}
